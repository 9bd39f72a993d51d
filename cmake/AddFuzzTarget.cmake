# All fuzz targets and the layers they link to.
add_custom_target(all_fuzzers)

# add_fuzz_target(NAME csv LAYERS io [SOURCE csv.cc] [TRIES 1000])
#
# Builds fuzz/<name>.cc against the named layers, as build/fuzz/fuzzers/<name>. Several targets may share one SOURCE: it is
# compiled once, and TargetName() of fuzz/target_name.h distinguishes them. The seeds are the files of fuzz/corpus/<name>;
# tools/run_fuzzers runs all targets that are built.
#
# Without HELIOSTAT_FUZZ the target is a test: fuzz/walk_main.cc runs the seeds and TRIES mutations of them, 3000 by
# default. Set fewer where a single run takes long. Targets that share a source then share the program too.
function(add_fuzz_target)
  cmake_parse_arguments(ARG "" "NAME;SOURCE;TRIES" "LAYERS" ${ARGN})
  set(corpus ${PROJECT_SOURCE_DIR}/fuzz/corpus/${ARG_NAME})
  if(NOT IS_DIRECTORY ${corpus})
    message(FATAL_ERROR "fuzz target ${ARG_NAME}: no seeds in ${corpus}")
  endif()
  list(TRANSFORM ARG_LAYERS PREPEND heliostat:: OUTPUT_VARIABLE layer_targets)
  if(NOT ARG_SOURCE)
    set(ARG_SOURCE ${ARG_NAME}.cc)
  endif()
  cmake_path(GET ARG_SOURCE STEM stem)
  if(NOT TARGET fuzz_harness_${stem})
    add_library(fuzz_harness_${stem} OBJECT ${ARG_SOURCE})
    target_link_libraries(fuzz_harness_${stem} PRIVATE ${layer_targets} heliostat_warnings)
    share_headers(fuzz_harness_${stem} "")
    if(HELIOSTAT_FUZZ)
      target_compile_options(fuzz_harness_${stem} PRIVATE -fsanitize=fuzzer)
    endif()
  endif()

  if(HELIOSTAT_FUZZ)
    set(program fuzz_${ARG_NAME})
    add_fuzz_program(${program} ${ARG_NAME} target_name.cc $<TARGET_OBJECTS:fuzz_harness_${stem}>)
    target_link_libraries(${program} PRIVATE ${layer_targets} heliostat_warnings)
    target_compile_definitions(${program} PRIVATE HELIOSTAT_FUZZ_TARGET="${ARG_NAME}")
    target_compile_options(${program} PRIVATE -fsanitize=fuzzer)
    target_link_options(${program} PRIVATE -fsanitize=fuzzer)
  else()
    set(program fuzz_${stem})
    if(NOT TARGET fuzz_walk_main)
      add_library(fuzz_walk_main OBJECT walk_main.cc)
      target_link_libraries(fuzz_walk_main PRIVATE heliostat::core heliostat_warnings)
      share_headers(fuzz_walk_main "")
    endif()
    if(NOT TARGET ${program})
      add_fuzz_program(${program} ${stem} $<TARGET_OBJECTS:fuzz_walk_main> $<TARGET_OBJECTS:fuzz_harness_${stem}>)
      target_link_libraries(${program} PRIVATE ${layer_targets} heliostat::core)
    endif()
    if(NOT ARG_TRIES)
      set(ARG_TRIES 3000)
    endif()
    add_test(NAME fuzz_${ARG_NAME} COMMAND ${program} ${corpus} ${ARG_TRIES})
    set_tests_properties(fuzz_${ARG_NAME} PROPERTIES LABELS fuzz TIMEOUT 300)
  endif()
endfunction()

function(add_fuzz_program target name)
  add_executable(${target} ${ARGN})
  set_target_properties(${target} PROPERTIES
    LINKER_LANGUAGE CXX OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzzers)
  add_dependencies(all_fuzzers ${target})
endfunction()
