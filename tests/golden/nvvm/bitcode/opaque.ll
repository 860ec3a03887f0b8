target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.Params = type { i32, double, [3 x i32] }

declare float @__nv_sinf(float)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; y[i] = sin(a * x[i]) + y[i]
define void @wave(i32 %n, float %a, ptr addrspace(1) %x, ptr addrspace(1) %y) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp slt i32 %i, %n
  br i1 %in, label %body, label %done
body:
  %px = getelementptr float, ptr addrspace(1) %x, i32 %i
  %py = getelementptr float, ptr addrspace(1) %y, i32 %i
  %vx = load float, ptr addrspace(1) %px
  %vy = load float, ptr addrspace(1) %py
  %m = fmul float %a, %vx
  %s = call float @__nv_sinf(float %m)
  %r = fadd float %s, %vy
  store float %r, ptr addrspace(1) %py
  br label %done
done:
  ret void
}

; A parameter of each class, none of which is used.
define void @classes(i1 %flag, i8 %byte, i16 %short, i32 %word, i64 %long, i128 %wide, half %half, float %single, double %double, ptr addrspace(1) %global, ptr %generic, ptr addrspace(3) %shared, [3 x i32] %array, <4 x float> %vector, ptr byval(%struct.Params) align 8 %record) {
  ret void
}

!nvvm.annotations = !{!0, !1}
!0 = !{ptr @wave, !"kernel", i32 1, !"maxntidx", i32 256}
!1 = !{ptr @classes, !"kernel", i32 1}
!nvvmir.version = !{!2}
!2 = !{i32 2, i32 0}
