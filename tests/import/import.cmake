# cmake -DBUILD=... -DWORK=... -DCONFIG=... -DCXX=... -DCXX_FLAGS=... -P import.cmake
#
# Installs BUILD into an empty prefix, then builds and runs the project in this folder against it. The project sees no other
# file of the repository. Then moves the prefix and runs the program there through a link, on GPUs that are made up.
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

foreach(part lib/systemd/system/heliostatd.service lib/systemd/system/heliostatctld.service lib/sysusers.d/heliostatctld.conf
    share/heliostat/agent.toml share/heliostat/controller.toml)
  if(NOT EXISTS ${WORK}/prefix/${part})
    message(FATAL_ERROR "${part} is not installed")
  endif()
endforeach()

file(RENAME ${WORK}/prefix ${WORK}/moved)
file(CREATE_LINK ${WORK}/moved/bin/heliostat ${WORK}/heliostat SYMBOLIC)
set(alone ${CMAKE_COMMAND} -E env --unset=HELIOSTAT_NVML HOME=${WORK}/home XDG_CACHE_HOME= XDG_DATA_HOME= XDG_STATE_HOME=
  HELIOSTAT_CONFIG=${WORK}/none.toml TZ=UTC ${WORK}/heliostat)
execute_process(COMMAND ${alone} device --fake-gpu H200 list OUTPUT_VARIABLE list COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${alone} run --fake-gpu H200 -- stand-in-train --steps 500 --batch 1
  OUTPUT_VARIABLE trained ERROR_VARIABLE bill COMMAND_ERROR_IS_FATAL ANY)
foreach(found "${list}" "${bill}")
  if(NOT found MATCHES "NVIDIA H200 \\(made up\\)")
    message(FATAL_ERROR "the installed program has no made-up GPU: ${found}")
  endif()
endforeach()
if(NOT trained MATCHES "step 500/500")
  message(FATAL_ERROR "the installed stand-in did not train: ${trained}")
endif()
