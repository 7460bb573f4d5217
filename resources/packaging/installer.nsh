; Offers the app for Markdown files under "Open with"; the owner of the file type stays. `customInstall` and
; `customUnInstall` are names of electron-builder. SHELL_CONTEXT is the registry of the user or of all users.
!define MARKDOWN_CLASS "Commonplace.md"

!macro customInstall
  WriteRegStr SHELL_CONTEXT "Software\Classes\${MARKDOWN_CLASS}" "" "Markdown"
  WriteRegStr SHELL_CONTEXT "Software\Classes\${MARKDOWN_CLASS}\DefaultIcon" "" "$INSTDIR\${APP_EXECUTABLE_FILENAME},0"
  WriteRegStr SHELL_CONTEXT "Software\Classes\${MARKDOWN_CLASS}\shell\open\command" "" '"$INSTDIR\${APP_EXECUTABLE_FILENAME}" "%1"'
  WriteRegNone SHELL_CONTEXT "Software\Classes\.md\OpenWithProgids" "${MARKDOWN_CLASS}"
!macroend

!macro customUnInstall
  DeleteRegKey SHELL_CONTEXT "Software\Classes\${MARKDOWN_CLASS}"
  DeleteRegValue SHELL_CONTEXT "Software\Classes\.md\OpenWithProgids" "${MARKDOWN_CLASS}"
!macroend
