/* The table of native rules: one line each. */
#include "natives.h"
#include "check_gen.h"
#include <string.h>

static const struct rule_native natives[] = {
    /* name, root of the redexes in n dimensions and in one, rule, redexes for the check
     */
    {"tile", LIFT_MAP, LIFT_MAP, rule_tile, redex_map_nd},
    {"tileExact", LIFT_MAP, LIFT_MAP, rule_tile_exact, redex_map_nd},
    {"tileShift", LIFT_MAP, LIFT_MAP, rule_tile_shift, redex_map_nd},
    {"tileCut", LIFT_MAP, LIFT_MAP, rule_tile_cut, redex_cut},
    {"shiftZip", LIFT_MAP, LIFT_SLIDE_SHIFT, rule_shift_zip, redex_shift_zip},
    {"shiftSlide", LIFT_MAP, LIFT_SLIDE_SHIFT, rule_shift_slide, redex_shift_slide},
    {"tileZip", LIFT_MAP, LIFT_SPLIT, rule_tile_zip, redex_tile_zip},
    {"tileSlide", LIFT_MAP, LIFT_SPLIT, rule_tile_slide, redex_tile_slide},
    {"stageLocal", LIFT_MAP, LIFT_MAP, rule_stage_local, redex_stage},
    {"stagePrivate", LIFT_MAP, LIFT_MAP, rule_stage_private, redex_stage},
    {"stream", LIFT_MAP, LIFT_MAP, rule_stream, redex_stream},
    {"streamPlanes", LIFT_MAP, LIFT_MAP, rule_stream_planes, redex_plane_map},
    {"stagePlane", LIFT_MAP_SEQ_SLIDE, LIFT_MAP_SEQ_SLIDE, rule_stage_plane,
     redex_planes},
    {"ringPlanes", LIFT_MAP_SEQ_SLIDE, LIFT_MAP_SEQ_SLIDE, rule_ring_planes,
     redex_planes},
    {"ringStored", LIFT_MAP_SEQ_SLIDE, LIFT_MAP_SEQ_SLIDE, rule_ring_stored,
     redex_stored},
    {"columnOfRing", LIFT_MAP_SEQ_SLIDE, LIFT_MAP_SEQ_SLIDE, rule_column_of_ring,
     redex_staged},
    {"retimePlanes", LIFT_MAP_SEQ_SLIDE, LIFT_MAP_SEQ_SLIDE, rule_planes_retime,
     redex_planes},
    {"scatterPlanes", LIFT_MAP_SEQ_SLIDE, LIFT_MAP_SEQ_SLIDE, rule_planes_scatter,
     redex_planes},
    {"semiPlanes", LIFT_MAP_SEQ_SLIDE, LIFT_MAP_SEQ_SLIDE, rule_planes_semi,
     redex_planes},
    {"besidePlanes", LIFT_MAP_SEQ_SLIDE, LIFT_MAP_SEQ_SLIDE, rule_planes_beside,
     redex_planes},
    {"fuse", LIFT_MAP, LIFT_MAP, rule_fuse, redex_fuse},
    {"fission", LIFT_MAP, LIFT_MAP, rule_fission, redex_fission},
    {"inlineOnce", LIFT_LET, LIFT_LET, rule_inline_once, redex_let},
    {"zipOfMaps", LIFT_MAP, LIFT_ZIP, rule_zip_of_maps, redex_zip_of_maps},
    {"zipSelect", LIFT_MAP, LIFT_MAP, rule_zip_select, redex_zip_select},
    {"getTuple", LIFT_GET, LIFT_GET, rule_get_tuple, redex_get_tuple},
    {"noChange", LIFT_MAP, LIFT_MAP, rule_no_change, redex_no_change},
    {"mergeClamp", LIFT_MAP, LIFT_PAD, rule_merge_clamp, redex_merge_clamp},
    {"retime", LIFT_MAP_SEQ_SLIDE, LIFT_MAP_SEQ_SLIDE, rule_retime, redex_retime},
    {"retimeScatter", LIFT_MAP_SEQ_SLIDE, LIFT_MAP_SEQ_SLIDE, rule_retime_scatter,
     redex_retime},
    {"retimeSemi", LIFT_MAP_SEQ_SLIDE, LIFT_MAP_SEQ_SLIDE, rule_retime_semi,
     redex_retime},
    {"retimePlane", LIFT_MAP_SEQ_SLIDE, LIFT_MAP_SEQ_SLIDE, rule_retime_plane,
     redex_retime},
    {"reduceToChain", LIFT_REDUCE, LIFT_REDUCE, rule_reduce_to_chain, redex_reduce},
    {"faces", LIFT_MAP, LIFT_MAP, rule_faces, redex_faces},
    {"rim", LIFT_MAP, LIFT_MAP, rule_rim, redex_faces},
    {"turn", LIFT_MAP, LIFT_MAP, rule_turn, redex_faces},
    {"turnZip", LIFT_TRANSPOSE, LIFT_TRANSPOSE, rule_turn_zip, redex_turned},
    {"turnSlide", LIFT_TRANSPOSE, LIFT_TRANSPOSE, rule_turn_slide, redex_turned},
    {"widenRows", LIFT_MAP, LIFT_SLIDE, rule_widen_rows, redex_padded_windows},
    {"threadBox", LIFT_MAP, LIFT_MAP, rule_thread_box, redex_map_nd},
    {"rowBox", LIFT_MAP, LIFT_MAP, rule_row_box, redex_map_nd},
    {"vectorTile4", LIFT_MAP, LIFT_MAP, rule_vector_tile, redex_map_nd},
    {"vectorBox4", LIFT_MAP, LIFT_MAP, rule_vector_box, redex_map_nd},
    {"vectorLoads4", LIFT_MAP, LIFT_MAP, rule_vector_loads, redex_vector_loads},
    {"vectorCopy4", LIFT_MAP, LIFT_MAP, rule_vector_copy, redex_vector_copy},
    {"vectorStage4", LIFT_TO_LOCAL, LIFT_TO_LOCAL, rule_vector_stage, redex_vector_stage},
    {"vectorStore4", LIFT_MAP_UNROLL, LIFT_MAP_UNROLL, rule_vector_store,
     redex_vector_store},
    {"physicalHalo", LIFT_OP_COUNT, LIFT_OP_COUNT, rule_physical_halo, redex_halo},
    {"alignRows", LIFT_OP_COUNT, LIFT_OP_COUNT, rule_align_rows, redex_rows},
    {"spreadPlanes", LIFT_OP_COUNT, LIFT_OP_COUNT, rule_spread_planes, redex_rows},
    {"inPlace", LIFT_OP_COUNT, LIFT_OP_COUNT, rule_in_place, redex_in_place},
    {"selectBorder", LIFT_INSET, LIFT_INSET, rule_select_border, redex_border},
    {"oneQuotient", LIFT_OP_COUNT, LIFT_OP_COUNT, rule_one_quotient, redex_quotient},
    {"inlineQuotient", LIFT_LET, LIFT_LET, rule_inline_quotient, redex_named_quotient},
    {"lowerInset", LIFT_INSET, LIFT_INSET, rule_lower_inset, redex_inset},
    {"copyViews", LIFT_OP_COUNT, LIFT_OP_COUNT, rule_copy_views, redex_result},
};

const struct rule_native *rule_native_find(const char *name)
{
    for (size_t i = 0; i < sizeof natives / sizeof *natives; i++)
        if (strcmp(natives[i].name, name) == 0)
            return &natives[i];
    return NULL;
}
