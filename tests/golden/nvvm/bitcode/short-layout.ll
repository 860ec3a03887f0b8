target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.Params = type { i32, double, [3 x i32] }

define void @short(i8 %first, %struct.Params %record, i8 %last) {
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{void (i8, %struct.Params, i8)* @short, !"kernel", i32 1}
!nvvmir.version = !{!1}
!1 = !{i32 2, i32 0}
