; Per-user installer: no administrator, /S for silent, /D=FOLDER for another place.
; Defines: VERSION, FILES (script with one command for each file), OUT (file), SIZE_KB, ICON; QUICK for a large file that is made sooner.
; The program has 64 bits, too.
Target amd64-unicode
Unicode true
!include "MUI2.nsh"
Name "forensicviewer ${VERSION}"
OutFile "${OUT}"
RequestExecutionLevel user
InstallDir "$LOCALAPPDATA\Programs\forensicviewer"
InstallDirRegKey HKCU "Software\forensicviewer" "InstallDir"
!ifdef QUICK
  SetCompressor zlib
!else
  SetCompressor /SOLID lzma
  SetCompressorDictSize 64
!endif
SetDateSave off
ManifestDPIAware true
BrandingText " "
!define MUI_ICON "${ICON}"
!define MUI_UNICON "${ICON}"
!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\forensicviewer"
!define MUI_FINISHPAGE_RUN "$INSTDIR\forensicviewer-gui.exe"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "German"
!insertmacro MUI_LANGUAGE "French"

; Only what the installer wrote goes away: the folder may hold files of the user.
!macro RemoveProgram
  RMDir /r "$INSTDIR\python"
  RMDir /r "$INSTDIR\licences"
  Delete "$INSTDIR\forensicviewer.exe"
  Delete "$INSTDIR\forensicviewer-gui.exe"
  Delete "$INSTDIR\forensicviewer.ico"
  Delete "$INSTDIR\README.txt"
!macroend

!macro RegisterType SUFFIX KIND TEXT
  WriteRegStr HKCU "Software\Classes\${SUFFIX}" "" "forensicviewer.${KIND}"
  WriteRegStr HKCU "Software\Classes\forensicviewer.${KIND}" "" "${TEXT}"
  WriteRegStr HKCU "Software\Classes\forensicviewer.${KIND}\DefaultIcon" "" "$INSTDIR\forensicviewer.ico"
  WriteRegStr HKCU "Software\Classes\forensicviewer.${KIND}\shell\open\command" "" '"$INSTDIR\forensicviewer-gui.exe" "%1"'
!macroend

!macro UnregisterType SUFFIX KIND
  DeleteRegKey HKCU "Software\Classes\forensicviewer.${KIND}"
  ReadRegStr $0 HKCU "Software\Classes\${SUFFIX}" ""
  StrCmp $0 "forensicviewer.${KIND}" 0 +2
  DeleteRegKey HKCU "Software\Classes\${SUFFIX}"
!macroend

Section
  ; A version that is there is replaced whole: modules of two versions must not mix.
  !insertmacro RemoveProgram
  !include "${FILES}"
  SetOutPath "$INSTDIR"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateDirectory "$SMPROGRAMS\forensicviewer"
  CreateShortcut "$SMPROGRAMS\forensicviewer\forensicviewer.lnk" "$INSTDIR\forensicviewer-gui.exe" "" "$INSTDIR\forensicviewer.ico"
  CreateShortcut "$SMPROGRAMS\forensicviewer\Uninstall.lnk" "$INSTDIR\uninstall.exe"
  WriteRegStr HKCU "Software\forensicviewer" "InstallDir" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "forensicviewer"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayIcon" "$INSTDIR\forensicviewer.ico"
  WriteRegStr HKCU "${UNINSTALL}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${UNINSTALL}" "EstimatedSize" ${SIZE_KB}
  WriteRegDWORD HKCU "${UNINSTALL}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL}" "NoRepair" 1
  !insertmacro RegisterType ".fvcase" "case" "forensicviewer case"
  !insertmacro RegisterType ".fvsession" "session" "forensicviewer session"
SectionEnd

Section "Uninstall"
  !insertmacro RemoveProgram
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  RMDir /r "$SMPROGRAMS\forensicviewer"
  DeleteRegKey HKCU "${UNINSTALL}"
  DeleteRegKey HKCU "Software\forensicviewer"
  !insertmacro UnregisterType ".fvcase" "case"
  !insertmacro UnregisterType ".fvsession" "session"
SectionEnd
