// Texture and surface objects are 64-bit handles with a type of their own.
//@ arch: sm_75 sm_90 sm_120
//@ expect: sample params=24
//@ wrapper: sample(tex: types::TextureObject, surf: types::SurfaceObject, out: &mut Out<f32>)
extern "C" __global__ void sample(cudaTextureObject_t tex, cudaSurfaceObject_t surf, float *out) {
    float v = tex2D<float>(tex, threadIdx.x, 0.5f);
    surf2Dwrite(v, surf, threadIdx.x * 4, 0);
    out[threadIdx.x] = v;
}
