/** What a browser needs to find its parts, its fonts and the person's language. Keys and tokens of the person's shell are none of its business. */
const WANTED = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'LANGUAGE',
  'TZ',
  'LD_LIBRARY_PATH',
  'FONTCONFIG_FILE',
  'FONTCONFIG_PATH',
  'XDG_DATA_DIRS',
  'XDG_RUNTIME_DIR',
  'DBUS_SESSION_BUS_ADDRESS',
  // Windows; its names are compared without case.
  'SYSTEMROOT',
  'SYSTEMDRIVE',
  'WINDIR',
  'COMSPEC',
  'PATHEXT',
  'USERPROFILE',
  'APPDATA',
  'LOCALAPPDATA',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
])

export function browserEnvironment(env: NodeJS.ProcessEnv, temporary: string): NodeJS.ProcessEnv {
  const wanted = Object.entries(env).filter(([name]) => WANTED.has(name.toUpperCase()) || name.startsWith('LC_'))
  return { ...Object.fromEntries(wanted), TMPDIR: temporary, TEMP: temporary, TMP: temporary }
}
