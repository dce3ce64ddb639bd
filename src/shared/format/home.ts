/** Home folders as `$HOME`: the one given, or whatever looks like one (/home/NAME, /Users/NAME, /root) where it is not known. */
export function homeAsVariable(text: string, homeDir?: string): string {
  const known = homeDir?.replace(/(?<!\/)\/+$/, '')
  const home = known === undefined || known === '' ? '/(?:home|Users)/[^/\\s"\':,=]+|/root' : escapePattern(known)
  return text.replace(new RegExp(`(^|[\\s"'=:,;(@])(?:${home})(?=$|[/\\s"':,;)])`, 'gm'), '$1$$HOME')
}

const escapePattern = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
