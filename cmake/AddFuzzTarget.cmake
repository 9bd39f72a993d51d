# All fuzz targets and the layers they link to.
add_custom_target(all_fuzzers)

# add_fuzz_target(NAME csv LAYERS io [SOURCE csv.cc] [TRIES 1000])
#
# Builds fuzz/<name>.cc against the named layers, as build/fuzz/fuzzers/<name>. Several targets may share one SOURCE: it is
# compiled once, and kTargetName of fuzz/target_name.h distinguishes them. The seeds are the files of fuzz/corpus/<name>;
# tools/run_fuzzers runs all targets that are built.
#
# Without HELIOSTAT_FUZZ the target is a test: fuzz/walk_main.cc runs the seeds and TRIES mutations of them, 3000 by
# default. Set fewer where a single run takes long.
function(add_fuzz_target)
  cmake_parse_arguments(ARG "" "NAME;SOURCE;TRIES" "LAYERS" ${ARGN})
  set(corpus ${PROJECT_SOURCE_DIR}/fuzz/corpus/${ARG_NAME})
  if(NOT IS_DIRECTORY ${corpus})
    message(FATAL_ERROR "fuzz target ${ARG_NAME}: no seeds in ${corpus}")
  endif()
  list(TRANSFORM ARG_LAYERS PREPEND heliostat:: OUTPUT_VARIABLE layer_targets)

  if(ARG_SOURCE)
    cmake_path(GET ARG_SOURCE STEM stem)
    if(NOT TARGET fuzz_harness_${stem})
      add_library(fuzz_harness_${stem} OBJECT ${ARG_SOURCE})
      target_link_libraries(fuzz_harness_${stem} PRIVATE ${layer_targets} heliostat_warnings)
      if(HELIOSTAT_FUZZ)
        target_compile_options(fuzz_harness_${stem} PRIVATE -fsanitize=fuzzer)
      endif()
    endif()
    add_executable(fuzz_${ARG_NAME} target_name.cc $<TARGET_OBJECTS:fuzz_harness_${stem}>)
    target_compile_definitions(fuzz_${ARG_NAME} PRIVATE HELIOSTAT_FUZZ_TARGET="${ARG_NAME}")
  else()
    add_executable(fuzz_${ARG_NAME} ${ARG_NAME}.cc)
  endif()
  target_link_libraries(fuzz_${ARG_NAME} PRIVATE ${layer_targets} heliostat_warnings)
  if(HELIOSTAT_FUZZ)
    target_compile_options(fuzz_${ARG_NAME} PRIVATE -fsanitize=fuzzer)
    target_link_options(fuzz_${ARG_NAME} PRIVATE -fsanitize=fuzzer)
  else()
    if(NOT TARGET fuzz_walk_main)
      add_library(fuzz_walk_main OBJECT walk_main.cc)
      target_link_libraries(fuzz_walk_main PRIVATE heliostat::core heliostat_warnings)
    endif()
    target_sources(fuzz_${ARG_NAME} PRIVATE $<TARGET_OBJECTS:fuzz_walk_main>)
    target_link_libraries(fuzz_${ARG_NAME} PRIVATE heliostat::core)
    if(NOT ARG_TRIES)
      set(ARG_TRIES 3000)
    endif()
    add_test(NAME fuzz_${ARG_NAME} COMMAND fuzz_${ARG_NAME} ${corpus} ${ARG_TRIES})
    set_tests_properties(fuzz_${ARG_NAME} PROPERTIES LABELS fuzz TIMEOUT 300)
  endif()
  add_dependencies(all_fuzzers fuzz_${ARG_NAME})
  set_target_properties(fuzz_${ARG_NAME} PROPERTIES
    OUTPUT_NAME ${ARG_NAME} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzzers)
endfunction()
