# The linters as tests with the label `lint`. A linter that is not installed makes its test fail.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

function(add_lint name)
  add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS lint)
endfunction()

add_lint(layering Python3::Interpreter tools/check_layers.py ${PROJECT_SOURCE_DIR}/heliostat
  ${PROJECT_BINARY_DIR}/layers.txt ${PROJECT_SOURCE_DIR}/docs/architecture.md)
add_lint(layering_can_fail Python3::Interpreter tools/check_layers_test.py)
add_lint(sources Python3::Interpreter tools/check_sources.py)
add_lint(sources_can_fail Python3::Interpreter tools/check_sources_test.py)
add_lint(pictures Python3::Interpreter tools/draw_layers.py ${PROJECT_BINARY_DIR}/layers.txt
  ${PROJECT_SOURCE_DIR}/docs/images/layers --check)
add_lint(documents Python3::Interpreter tools/check_docs.py)
add_lint(documents_can_fail Python3::Interpreter tools/check_docs_test.py)
add_lint(promises Python3::Interpreter tools/check_promises.py)
add_lint(promises_can_fail Python3::Interpreter tools/check_promises_test.py)
add_lint(sizes Python3::Interpreter tools/check_sizes.py)
add_lint(groups_can_fail Python3::Interpreter tools/compile_together_test.py)
add_lint(budget_can_fail Python3::Interpreter tools/budget_test.py)
add_lint(format tools/run_lint format)
add_lint(spelling tools/run_lint spelling)
add_lint(shell tools/run_lint shell)
add_lint(tidy Python3::Interpreter tools/run_tidy.py ${PROJECT_BINARY_DIR})
add_lint(tidy_can_fail Python3::Interpreter tools/run_tidy_test.py)

# clang-tidy uses every core, and the first run checks every file.
include(ProcessorCount)
ProcessorCount(cores)
set_tests_properties(tidy PROPERTIES PROCESSORS ${cores} TIMEOUT 7200)
