# The files that `cmake --install` installs. Other projects use them with find_package(heliostat).
include(CMakePackageConfigHelpers)

get_property(packages GLOBAL PROPERTY HELIOSTAT_PACKAGES)
list(REMOVE_DUPLICATES packages)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/heliostat)

install(EXPORT heliostat-targets NAMESPACE heliostat:: DESTINATION ${package_dir})
configure_package_config_file(cmake/heliostat-config.cmake.in heliostat-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(heliostat-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/heliostat-config.cmake ${PROJECT_BINARY_DIR}/heliostat-config-version.cmake
  DESTINATION ${package_dir})

# Units of the node agent and the cluster controller, the user of the latter, and examples of their configuration. The
# installation does not touch the files in /etc.
foreach(daemon heliostatd heliostatctld)
  configure_file(packaging/systemd/${daemon}.service ${daemon}.service @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${daemon}.service DESTINATION lib/systemd/system)
endforeach()
install(FILES packaging/systemd/heliostatd.socket DESTINATION lib/systemd/system)
install(FILES packaging/sysusers.d/heliostatctld.conf DESTINATION lib/sysusers.d)
install(FILES packaging/heliostat/agent.toml packaging/heliostat/controller.toml
  DESTINATION ${CMAKE_INSTALL_DATADIR}/heliostat)

# The module and the header with which training programs report their steps.
install(FILES python/heliostat.py DESTINATION ${CMAKE_INSTALL_DATADIR}/heliostat/python)
install(FILES python/heliostat_step.h TYPE INCLUDE)
