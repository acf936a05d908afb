# Pages of web/ inside the binary. esbuild bundles them during the build where node and web/node_modules are there (`npm ci` in
# web/). The same bytes are kept in web/dist, so that thrum builds, with its pages, where node is not; the test web_dist holds
# that both are equal, and `npm run build` in web/ brings web/dist up to date.
find_program(THRUM_NODE NAMES node nodejs)

# thrum_page(plot HEADER report/plot_template.hpp FUNCTION thrum::report::plot_template OUT source) sets `source` to a C++ file in
# which FUNCTION, as HEADER declares it, returns the page built from web/plot.
function(thrum_page name)
  cmake_parse_arguments(P "" "HEADER;FUNCTION;OUT" "" ${ARGN})
  set(web ${PROJECT_SOURCE_DIR}/web)
  set(page ${web}/dist/${name}.html)
  if(THRUM_NODE AND EXISTS ${web}/node_modules/esbuild AND EXISTS ${web}/node_modules/uplot)
    set(page ${PROJECT_BINARY_DIR}/web/${name}.html)
    file(GLOB sources CONFIGURE_DEPENDS ${web}/${name}/*)
    add_custom_command(OUTPUT ${page} COMMAND ${THRUM_NODE} ${web}/build.mjs ${PROJECT_BINARY_DIR}/web
      DEPENDS ${sources} ${web}/build.mjs ${web}/package-lock.json COMMENT "Bundling web/${name}" VERBATIM)
  endif()
  set(source ${PROJECT_BINARY_DIR}/generated/${name}_page.cpp)
  set(embed ${PROJECT_SOURCE_DIR}/cmake/Embed.cmake)
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${page} -DOUTPUT=${source} -DHEADER=${P_HEADER} -DFUNCTION=${P_FUNCTION} -P ${embed}
    DEPENDS ${page} ${embed} COMMENT "Embedding ${name}.html" VERBATIM)
  set(${P_OUT} ${source} PARENT_SCOPE)
endfunction()
