#!/usr/bin/env bash
# CUDA toolkits of other series, for tests.
#
#   tests/toolkits.sh get 12.4 DIR           nvcc 12.4.131, laid out as NVIDIA's installer does it; needs a g++ up to 13
#   tests/toolkits.sh get 11.8 DIR           nvcc 11.8.89; needs a g++ up to 11 (apt-get install g++-11)
#   tests/toolkits.sh get-debian 12.4 DIR    the same parts as Debian's package lays them out, with DIR for the root:
#                                            DIR/usr/bin/nvcc runs DIR/usr/lib/nvidia-cuda-toolkit/bin/nvcc
#   CUBIN_TEST_TOOLKITS=11.8,12.4,debian-12.4,13.0 tests/toolkits.sh test [TEST...]
#                                            the tests that compile, with each of these (all where none are named), from
#                                            a folder `toolkits` beside the target directory's own; the others are of the
#                                            13 series and come from PyPI (`cargo cubin toolkit install`)
#
# 12.4 and 11.8 are put together from Debian's packages (nvcc, cicc, cudafe++, ptxas, nvlink, cuobjdump, nvdisasm, headers of
# CCCL) and PyPI's wheels (CUDA's headers, libdevice), which hold no nvcc of these series. That needs Debian (12) with apt's
# lists (apt-get update) and python3 with pip; no root, and nothing outside DIR is changed. About 110 MB are downloaded and
# kept in DIR/.download. What a toolkit lacks, the tests name and skip.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() { sed -n '2,18s/^# \{0,1\}//p' tests/toolkits.sh; exit 2; }

# The packages of a version.
choose() {
    case $1 in
    12.4) suite=trixie toolkit=12.4.131~12.4.1-2 cccl=2.3.2-2 thrust=2.3.2-2
        wheels='nvidia-cuda-runtime-cu12==12.4.127 nvidia-cuda-nvcc-cu12==12.4.131' ;;
    11.8) suite=bookworm toolkit=11.8.89~11.8.0-5~deb12u1 cccl=1.8.1-2 thrust=1.17.2-2
        wheels='nvidia-cuda-runtime-cu11==11.8.89 nvidia-cuda-nvcc-cu11==11.8.89' ;;
    *) echo "unknown version $1: 12.4 or 11.8" >&2; exit 2 ;;
    esac
}

# Debian's packages into $get/deb, the wheels into $get/wheels.
download() {
    local mirror state file
    mkdir -p "$get"
    if [ ! -e "$get/debs.done" ]; then
        mirror=$(apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' 'Created-By: Packages' |
            sed -n 's/^Debian Debian //p' | sort -u | head -n 1)
        [ -n "$mirror" ] || { echo 'apt has no Debian mirror; run apt-get update first' >&2; exit 1; }
        # Suites and components that apt is not set up with are read into lists of our own.
        state=$get/apt
        mkdir -p "$state"/{lists/partial,cache/archives/partial,sources}
        printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main non-free\nSigned-By: %s\n' "$mirror" "$suite" \
            /usr/share/keyrings/debian-archive-keyring.gpg > "$state/sources/debian.sources"
        apt() {
            apt-get -q -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$state/sources" \
                -o Dir::State::lists="$state/lists" -o Dir::Cache="$state/cache" -o APT::Sandbox::User=root "$@"
        }
        apt update > "$get/apt.log"
        (cd "$get" && apt download "nvidia-cuda-toolkit=$toolkit" "libcu++-dev=$cccl" "libcub-dev=$thrust" \
            "libthrust-dev=$thrust" >> "$get/apt.log")
        touch "$get/debs.done"
    fi
    if [ ! -e "$get/wheels.done" ]; then
        # shellcheck disable=SC2086 # several words
        python3 -m pip download --quiet --no-deps --only-binary :all: --dest "$get" $wheels
        touch "$get/wheels.done"
    fi
    rm -rf "$get/deb" "$get/wheels"
    for file in "$get"/*.deb; do dpkg -x "$file" "$get/deb"; done
    for file in "$get"/*.whl; do python3 -m zipfile -e "$file" "$get/wheels"; done
}

# All headers into $1.
headers() {
    local dir
    mkdir -p "$1"
    cp -r "$get/wheels/nvidia/cuda_runtime/include/." "$get/wheels/nvidia/cuda_nvcc/include/." "$1"
    for dir in nv cuda cub thrust; do
        if [ -d "$get/deb/usr/include/$dir" ]; then cp -rL "$get/deb/usr/include/$dir" "$1"; fi
    done
    find "$1" \( -name '__init__.py' -o -name '__pycache__' \) -exec rm -rf {} +
}

get_debian() { # DIR
    rm -rf "$1/usr" "$1/etc"
    cp -r "$get/deb/etc" "$get/deb/usr" "$1"
    headers "$1/usr/include"
    # The package's files name places from the root on.
    sed -i "s,/usr/lib/nvidia-cuda-toolkit,$1&,g" "$1/usr/bin/nvcc" "$1/etc/nvcc.profile"
    ln -sf "$1/etc/nvcc.profile" "$1/usr/lib/nvidia-cuda-toolkit/bin/nvcc.profile"
    # There the compiler itself searches /usr/include.
    printf '\nINCLUDES += "-I%s/usr/include" $(_SPACE_)\n' "$1" >> "$1/etc/nvcc.profile"
}

get_nvidia() { # DIR
    local tool own=$get/deb/usr/lib/nvidia-cuda-toolkit
    rm -rf "$1"/{bin,include,nvvm,lib64}
    mkdir -p "$1"/{bin/crt,nvvm/bin,nvvm/libdevice,lib64}
    for tool in cudafe++ ptxas nvlink fatbinary cuobjdump nvdisasm bin2c cu++filt nvprune __nvcc_device_query; do
        if [ -e "$get/deb/usr/bin/$tool" ]; then cp "$get/deb/usr/bin/$tool" "$1/bin"; fi
    done
    cp "$own/bin/nvcc" "$1/bin"
    cp "$own"/bin/crt/*.stub "$1/bin/crt"
    cp "$own/bin/cicc" "$1/nvvm/bin"
    cp "$get/wheels/nvidia/cuda_nvcc/nvvm/libdevice/libdevice.10.bc" "$1/nvvm/libdevice"
    headers "$1/include"
    # As NVIDIA's installer writes it.
    cat > "$1/bin/nvcc.profile" <<'PROFILE'

TOP              = $(_HERE_)/..

NVVMIR_LIBRARY_DIR = $(TOP)/$(_NVVM_BRANCH_)/libdevice

LD_LIBRARY_PATH += $(TOP)/lib:
PATH            += $(TOP)/$(_NVVM_BRANCH_)/bin:$(_HERE_):

INCLUDES        +=  "-I$(TOP)/$(_TARGET_DIR_)/include" $(_SPACE_)

LIBRARIES        =+ $(_SPACE_) "-L$(TOP)/$(_TARGET_DIR_)/lib$(_TARGET_SIZE_)/stubs" "-L$(TOP)/$(_TARGET_DIR_)/lib$(_TARGET_SIZE_)"

CUDAFE_FLAGS    +=
PTXAS_FLAGS     +=
PROFILE
}

get() { # LAYOUT VERSION DIR
    choose "$2"
    mkdir -p "$3"
    local dir
    dir=$(cd "$3" && pwd)
    get=$dir/.download
    download
    "get_$1" "$dir"
}

# The tests that compile with the toolkit at hand.
compiling=(cases torture build compile_real toolkits layout_probe side_data)

run_tests() {
    local version root path dir=${CARGO_TARGET_DIR:-target}/toolkits names=("$@")
    [ ${#names[@]} -gt 0 ] || names=("${compiling[@]}")
    for version in ${CUBIN_TEST_TOOLKITS//,/ }; do
        path=$PATH
        case $version in
        11.* | 12.*)
            root=$dir/$version
            [ -x "$root/bin/nvcc" ] || get nvidia "$version" "$root"
            root=$(cd "$root" && pwd) ;;
        debian-*)
            root=$dir/$version
            [ -x "$root/usr/bin/nvcc" ] || get debian "${version#debian-}" "$root"
            # There /usr/bin, with ptxas, is on everybody's PATH.
            root=$(cd "$root" && pwd)/usr/bin/nvcc
            path=${root%/nvcc}:$PATH ;;
        *) root=$(cargo run --quiet --package cargo-cubin --bin cargo-cubin -- cubin toolkit install "$version" | sed -n 's/^CUDA .* is in //p') ;;
        esac
        # nvcc 11.8 takes no g++ that is newer.
        if [ "$version" = 11.8 ]; then export NVCC_CCBIN=g++-11; else unset NVCC_CCBIN; fi
        printf '\n==> CUDA %s (%s)\n' "$version" "$root"
        PATH=$path CUBIN_BUILD_TOOLKIT=$root CUBIN_TEST_REQUIRE_TOOLKIT=1 \
            cargo test --package cubin-tests $(printf -- '--test %s ' "${names[@]}") --no-fail-fast
    done
}

case ${1-} in
get) [ $# = 3 ] || usage; get nvidia "$2" "$3" ;;
get-debian) [ $# = 3 ] || usage; get debian "$2" "$3" ;;
test) [ -n "${CUBIN_TEST_TOOLKITS-}" ] || usage; shift; run_tests "$@" ;;
*) usage ;;
esac
