/* The native rules, for the table in natives.c. */
#ifndef RULES_NATIVE_NATIVES_H
#define RULES_NATIVE_NATIVES_H

#include "rules/native/native.h"

rule_native_fn rule_tile; /* tile.c */
rule_native_fn rule_tile_exact;
rule_native_fn rule_tile_shift;
rule_native_fn rule_tile_cut;
rule_native_fn rule_tile_zip; /* tile_inputs.c */
rule_native_fn rule_tile_slide;
rule_native_fn rule_shift_zip;
rule_native_fn rule_shift_slide;
rule_native_fn rule_fuse; /* fuse.c */
rule_native_fn rule_inline_once;
rule_native_fn rule_fission;
rule_native_fn rule_zip_of_maps;
rule_native_fn rule_no_change;
rule_native_fn rule_get_tuple;
rule_native_fn rule_zip_select;
rule_native_fn rule_merge_clamp;
rule_native_fn rule_pad_of_zip;
rule_native_fn rule_stage_local; /* stage.c */
rule_native_fn rule_stage_private;
rule_native_fn rule_stage_tiles; /* stages/tiles.c */
rule_native_fn rule_stage_tiles_apart;
rule_native_fn rule_stage_streams; /* stages/streams.c */
rule_native_fn rule_stage_rows;
rule_native_fn rule_stage_rows_apart;
rule_native_fn rule_iterate_one; /* stages/steps.c */
rule_native_fn rule_iterate_step;
rule_native_fn rule_let_of_tuple;
rule_native_fn rule_steps_fused;
rule_native_fn rule_lower_inset;
rule_native_fn rule_store_stages;  /* stages/store.c */
rule_native_fn rule_copy_views;    /* result.c */
rule_native_fn rule_select_border; /* border.c */
rule_native_fn rule_faces;         /* regions/regions.c */
rule_native_fn rule_rim;
rule_native_fn rule_layer;
rule_native_fn rule_decide_tests; /* regions/inputs.c */
rule_native_fn rule_zip_drop;
rule_native_fn rule_turn; /* permute.c */
rule_native_fn rule_turn_zip;
rule_native_fn rule_turn_slide;
rule_native_fn rule_stream; /* stream.c */
rule_native_fn rule_stream_planes;
rule_native_fn rule_stage_plane; /* planes_store.c */
rule_native_fn rule_ring_planes;
rule_native_fn rule_ring_stored;
rule_native_fn rule_column_of_ring;
rule_native_fn rule_planes_retime; /* planes_retime.c */
rule_native_fn rule_planes_scatter;
rule_native_fn rule_planes_semi;
rule_native_fn rule_planes_beside;
rule_native_fn rule_retime; /* retime.c */
rule_native_fn rule_retime_scatter;
rule_native_fn rule_retime_semi;
rule_native_fn rule_retime_plane;
rule_native_fn rule_reduce_to_chain;
rule_native_fn rule_thread_box; /* vector.c */
rule_native_fn rule_row_box;
rule_native_fn rule_vector_tile;
rule_native_fn rule_vector_box;
rule_native_fn rule_vector_copy;
rule_native_fn rule_vector_stage;
rule_native_fn rule_vector_store;
rule_native_fn rule_vector_loads;  /* vector_loads.c */
rule_native_fn rule_physical_halo; /* layout_halo.c */
rule_native_fn rule_align_rows;    /* layout.c */
rule_native_fn rule_align_interior;
rule_native_fn rule_spread_planes;
rule_native_fn rule_in_place;
rule_native_fn rule_inject_fused; /* inject.c */
rule_native_fn rule_devices;      /* devices.c */
rule_native_fn rule_devices_uneven;
rule_native_fn rule_edges_first;
rule_native_fn rule_widen_rows;   /* widen.c */
rule_native_fn rule_one_quotient; /* quotient.c */
rule_native_fn rule_inline_quotient;

#endif
