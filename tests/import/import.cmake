# cmake -DBUILD=... -DWORK=... -DCONFIG=... -DCXX=... -DCXX_FLAGS=... -P import.cmake
#
# Installs BUILD into an empty prefix, then builds and runs the project in this folder against it. The project sees no other
# file of the repository.
foreach(name BUILD WORK CXX)
  if(NOT ${name})
    message(FATAL_ERROR "import.cmake: -D${name}=... is missing")
  endif()
endforeach()

file(REMOVE_RECURSE ${WORK})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)

# Every installed header must compile with installed headers alone.
file(GLOB_RECURSE headers RELATIVE ${WORK}/prefix/include ${WORK}/prefix/include/heliostat/*.h)
list(LENGTH headers count)
if(count LESS 50)
  message(FATAL_ERROR "only ${count} headers are installed")
endif()
set(all "")
foreach(header ${headers})
  string(APPEND all "#include <${header}>\n")
endforeach()
file(WRITE ${WORK}/all_headers.cc "${all}")

execute_process(COMMAND ${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/build
    -DCMAKE_PREFIX_PATH=${WORK}/prefix -DALL_HEADERS=${WORK}/all_headers.cc -DCMAKE_BUILD_TYPE=${CONFIG} -DCMAKE_CXX_COMPILER=${CXX}
    -DCMAKE_CXX_FLAGS=${CXX_FLAGS}
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK}/build COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${WORK}/build/import_test COMMAND_ERROR_IS_FATAL ANY)
