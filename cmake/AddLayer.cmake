# add_layer(NAME signal SOURCES a.cc [API a.h] DEPENDS core [LIBRARIES fmt::fmt] [PRIVATE_LIBRARIES CURL::libcurl] [TESTS a_test.cc]
#           [TEST_DEPENDS device_model] [TEST_LIBRARIES rapidcheck] [THREADED_TESTS a_test.cc] [COMPUTES])
#
# One folder heliostat/<group>/<name> is one namespace and one static library heliostat::<name>.
#   API             headers that are installed, for other programs to include
#   DEPENDS         all layers that this folder may include
#   TEST_DEPENDS    further layers that its tests (*_test.cc and testing/) may include
#   THREADED_TESTS  those of TESTS that use several threads; they also run under the thread sanitizer
#   COMPUTES        optimises the layer in the test build, for layers whose tests compute for long
# tools/check_layers.py fails `ctest -L lint` when an #include disagrees with DEPENDS and TEST_DEPENDS.
function(add_layer)
  cmake_parse_arguments(ARG "COMPUTES" "NAME"
    "SOURCES;API;DEPENDS;LIBRARIES;PRIVATE_LIBRARIES;TESTS;THREADED_TESTS;TEST_DEPENDS;TEST_LIBRARIES" ${ARGN})
  set(target heliostat_${ARG_NAME})
  list(TRANSFORM ARG_DEPENDS PREPEND heliostat:: OUTPUT_VARIABLE layer_targets)
  list(TRANSFORM ARG_TEST_DEPENDS PREPEND heliostat:: OUTPUT_VARIABLE test_layer_targets)

  add_library(${target} STATIC ${ARG_SOURCES})
  add_library(heliostat::${ARG_NAME} ALIAS ${target})
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PUBLIC ${layer_targets} ${ARG_LIBRARIES}
    PRIVATE ${ARG_PRIVATE_LIBRARIES} $<BUILD_INTERFACE:heliostat_warnings>)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${ARG_NAME})
  set(level "")
  if(ARG_COMPUTES AND CMAKE_BUILD_TYPE STREQUAL Debug)
    set(level -O1)
  endif()
  share_headers(${target} "${level}")
  compile_together(${target} ${ARG_SOURCES})
  install(TARGETS ${target} EXPORT heliostat-targets)
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  install(FILES ${ARG_API} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
  string(REPLACE ";" " " depends "${ARG_DEPENDS}")
  string(REPLACE ";" " " test_depends "${ARG_TEST_DEPENDS}")
  get_filename_component(group ${CMAKE_CURRENT_SOURCE_DIR} DIRECTORY)
  get_filename_component(group ${group} NAME)
  set_property(GLOBAL APPEND_STRING PROPERTY HELIOSTAT_LAYERS "${group}/${ARG_NAME}: ${depends} | ${test_depends}\n")

  if(HELIOSTAT_THREADS)
    set(ARG_TESTS ${ARG_THREADED_TESTS})
  endif()
  if(ARG_TESTS AND BUILD_TESTING)
    add_executable(${target}_test ${ARG_TESTS})
    target_link_libraries(${target}_test PRIVATE heliostat::${ARG_NAME} heliostat_warnings GTest::gmock_main
      ${test_layer_targets} ${ARG_TEST_LIBRARIES})
    # Tests look for the optional public traces next to the checkout.
    target_compile_definitions(${target}_test PRIVATE HELIOSTAT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    share_test_headers(${target}_test)
    compile_together(${target}_test ${ARG_TESTS})
    # One process per layer, not per test case: a process with sanitizers takes longer to start than most cases to run.
    add_test(NAME ${ARG_NAME} COMMAND ${target}_test --gtest_brief=1)
    set_tests_properties(${ARG_NAME} PROPERTIES LABELS unit)
    set_property(GLOBAL APPEND PROPERTY HELIOSTAT_UNIT_TESTS ${target}_test)
  endif()
endfunction()

# With HELIOSTAT_TOGETHER, compiles up to that many sources of the target as one.
function(compile_together target)
  if(HELIOSTAT_TOGETHER)
    list(TRANSFORM ARGN REPLACE "^([^/].*)$" "${CMAKE_CURRENT_SOURCE_DIR}/\\1")
    list(JOIN ARGN "\t" sources)
    set_property(GLOBAL APPEND_STRING PROPERTY HELIOSTAT_SOURCES_TOGETHER "${target}\t${sources}\n")
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  endif()
endfunction()

# Chooses the sources that compile_together() compiles as one, for all targets.
function(choose_sources_together)
  if(HELIOSTAT_TOGETHER)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    get_property(targets GLOBAL PROPERTY HELIOSTAT_SOURCES_TOGETHER)
    file(WRITE ${PROJECT_BINARY_DIR}/together.txt "${targets}")
    execute_process(COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/compile_together.py ${HELIOSTAT_TOGETHER}
      ${PROJECT_BINARY_DIR}/together.txt ${PROJECT_BINARY_DIR}/together.cmake COMMAND_ERROR_IS_FATAL ANY)
    include(${PROJECT_BINARY_DIR}/together.cmake)
  endif()
endfunction()

# Headers that nearly every source of the project includes.
set(core_headers ${PROJECT_SOURCE_DIR}/heliostat/base/core/error.h ${PROJECT_SOURCE_DIR}/heliostat/base/core/time.h
  ${PROJECT_SOURCE_DIR}/heliostat/base/core/units.h)

# Precompiles the headers that most sources include, once for all targets of one optimisation level. The presets bench and
# fuzz use no precompiled headers and so detect a missing include.
function(share_headers target level)
  if(NOT TARGET heliostat_headers${level})
    file(WRITE ${PROJECT_BINARY_DIR}/headers.cc "")
    add_library(heliostat_headers${level} OBJECT ${PROJECT_BINARY_DIR}/headers.cc)
    target_compile_features(heliostat_headers${level} PUBLIC cxx_std_20)
    target_compile_options(heliostat_headers${level} PRIVATE ${level})
    target_include_directories(heliostat_headers${level} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(heliostat_headers${level} PRIVATE fmt::fmt tl::expected heliostat_warnings)
    target_precompile_headers(heliostat_headers${level} PRIVATE <fmt/format.h> <tl/expected.hpp> <algorithm> <array> <chrono>
      <cmath> <cstdint> <filesystem> <functional> <limits> <map> <memory> <mutex> <numeric> <optional> <set> <span> <string>
      <string_view> <variant> <vector> ${core_headers})
  endif()
  target_compile_options(${target} PRIVATE ${level})
  target_precompile_headers(${target} REUSE_FROM heliostat_headers${level})
endfunction()

# Precompiles the headers that every test includes, once for all tests.
function(share_test_headers target)
  if(NOT TARGET heliostat_test_headers)
    file(WRITE ${PROJECT_BINARY_DIR}/test_headers.cc "")
    add_library(heliostat_test_headers OBJECT ${PROJECT_BINARY_DIR}/test_headers.cc)
    target_compile_features(heliostat_test_headers PUBLIC cxx_std_20)
    target_include_directories(heliostat_test_headers PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_options(heliostat_test_headers PRIVATE ${HELIOSTAT_TEST_OPTIONS})
    target_link_libraries(heliostat_test_headers PRIVATE GTest::gmock rapidcheck fmt::fmt tl::expected heliostat_warnings)
    target_compile_definitions(heliostat_test_headers PRIVATE HELIOSTAT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_precompile_headers(heliostat_test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h> <rapidcheck/gtest.h> <fmt/format.h>
      <tl/expected.hpp> <algorithm> <chrono> <filesystem> <functional> <map> <memory> <optional> <string> <vector>
      ${core_headers})
  endif()
  target_compile_options(${target} PRIVATE ${HELIOSTAT_TEST_OPTIONS})
  target_precompile_headers(${target} REUSE_FROM heliostat_test_headers)
endfunction()
