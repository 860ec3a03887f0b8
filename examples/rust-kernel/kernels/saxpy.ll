; ModuleID = 'saxpy.544189bdf62eb361-cgu.0'
source_filename = "saxpy.544189bdf62eb361-cgu.0"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite)
define ptx_kernel void @saxpy(i32 noundef %n, float noundef %a, ptr noundef readonly captures(none) %x, ptr noundef captures(none) %y) unnamed_addr #0 !dbg !6 {
start:
    #dbg_value(i32 %n, !16, !DIExpression(), !27)
    #dbg_value(float %a, !17, !DIExpression(), !27)
    #dbg_value(ptr %x, !18, !DIExpression(), !27)
    #dbg_value(ptr %y, !19, !DIExpression(), !27)
  %_7 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !28
  %_8 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !29
  %_6 = mul i32 %_7, %_8, !dbg !28
  %_9 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !30
  %i = add i32 %_6, %_9, !dbg !28
    #dbg_value(i32 %i, !20, !DIExpression(), !31)
  %_10 = icmp ult i32 %i, %n, !dbg !32
  br i1 %_10, label %bb4, label %bb7, !dbg !32

bb7:                                              ; preds = %bb4, %start
  ret void, !dbg !33

bb4:                                              ; preds = %start
  %_12 = zext i32 %i to i64, !dbg !34
  %0 = getelementptr float, ptr %x, i64 %_12, !dbg !35
    #dbg_value(ptr %0, !22, !DIExpression(), !36)
  %1 = getelementptr float, ptr %y, i64 %_12, !dbg !37
    #dbg_value(ptr %1, !24, !DIExpression(), !38)
  %_17 = load float, ptr %0, align 4, !dbg !39, !noundef !26
  %_16 = fmul float %a, %_17, !dbg !40
  %_18 = load float, ptr %1, align 4, !dbg !41, !noundef !26
  %2 = fadd float %_16, %_18, !dbg !42
  store float %2, ptr %1, align 4, !dbg !42
  br label %bb7, !dbg !43
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() unnamed_addr #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() unnamed_addr #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() unnamed_addr #1

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite) "target-cpu"="sm_75" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.module.flags = !{!0, !1, !2}
!llvm.ident = !{!3}
!llvm.dbg.cu = !{!4}

!0 = !{i32 8, !"PIC Level", i32 2}
!1 = !{i32 7, !"Dwarf Version", i32 4}
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{!"rustc version 1.95.0 (59807616e 2026-04-14)"}
!4 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !5, producer: "clang LLVM (rustc version 1.95.0 (59807616e 2026-04-14))", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, splitDebugInlining: false, nameTableKind: None)
!5 = !DIFile(filename: "saxpy.rs/@/saxpy.544189bdf62eb361-cgu.0", directory: "kernels")
!6 = distinct !DISubprogram(name: "saxpy", scope: !8, file: !7, line: 28, type: !9, scopeLine: 28, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !4, templateParams: !26, retainedNodes: !15)
!7 = !DIFile(filename: "saxpy.rs", directory: "kernels", checksumkind: CSK_MD5, checksum: "c69a5d95aa193cbb4b7ddf3074b8a43d")
!8 = !DINamespace(name: "saxpy", scope: null)
!9 = !DISubroutineType(types: !10)
!10 = !{null, !11, !12, !13, !14}
!11 = !DIBasicType(name: "u32", size: 32, encoding: DW_ATE_unsigned)
!12 = !DIBasicType(name: "f32", size: 32, encoding: DW_ATE_float)
!13 = !DIDerivedType(tag: DW_TAG_pointer_type, name: "*const f32", baseType: !12, size: 64, align: 64, dwarfAddressSpace: 0)
!14 = !DIDerivedType(tag: DW_TAG_pointer_type, name: "*mut f32", baseType: !12, size: 64, align: 64, dwarfAddressSpace: 0)
!15 = !{!16, !17, !18, !19, !20, !22, !24}
!16 = !DILocalVariable(name: "n", arg: 1, scope: !6, file: !7, line: 28, type: !11)
!17 = !DILocalVariable(name: "a", arg: 2, scope: !6, file: !7, line: 28, type: !12)
!18 = !DILocalVariable(name: "x", arg: 3, scope: !6, file: !7, line: 28, type: !13)
!19 = !DILocalVariable(name: "y", arg: 4, scope: !6, file: !7, line: 28, type: !14)
!20 = !DILocalVariable(name: "i", scope: !21, file: !7, line: 29, type: !11, align: 32)
!21 = distinct !DILexicalBlock(scope: !6, file: !7, line: 29, column: 5)
!22 = !DILocalVariable(name: "x", scope: !23, file: !7, line: 31, type: !13, align: 64)
!23 = distinct !DILexicalBlock(scope: !21, file: !7, line: 31, column: 9)
!24 = !DILocalVariable(name: "y", scope: !25, file: !7, line: 32, type: !14, align: 64)
!25 = distinct !DILexicalBlock(scope: !23, file: !7, line: 32, column: 9)
!26 = !{}
!27 = !DILocation(line: 0, scope: !6)
!28 = !DILocation(line: 29, column: 13, scope: !6)
!29 = !DILocation(line: 29, column: 23, scope: !6)
!30 = !DILocation(line: 29, column: 38, scope: !6)
!31 = !DILocation(line: 0, scope: !21)
!32 = !DILocation(line: 30, column: 8, scope: !21)
!33 = !DILocation(line: 35, column: 2, scope: !6)
!34 = !DILocation(line: 31, column: 33, scope: !21)
!35 = !DILocation(line: 31, column: 17, scope: !21)
!36 = !DILocation(line: 0, scope: !23)
!37 = !DILocation(line: 32, column: 17, scope: !23)
!38 = !DILocation(line: 0, scope: !25)
!39 = !DILocation(line: 33, column: 18, scope: !25)
!40 = !DILocation(line: 33, column: 14, scope: !25)
!41 = !DILocation(line: 33, column: 23, scope: !25)
!42 = !DILocation(line: 33, column: 9, scope: !25)
!43 = !DILocation(line: 30, column: 5, scope: !21)
