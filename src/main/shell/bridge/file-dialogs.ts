import { basename, dirname, extname, join } from 'node:path'
import { BrowserWindow, dialog, type WebContents } from 'electron'
import type { CallInput } from './envelope.ts'
import type { ChosenPaths } from './chosen-paths.ts'

/** Native dialogs; each kind of file remembers the folder it went to last. */
export function createFileDialogs({
  chosen,
  documents,
  vouch,
}: {
  chosen: ChosenPaths
  documents: string
  /** Tells the engine, which writes some files itself. */
  vouch: (path: string) => void
}) {
  const folders = new Map<string, string>()
  const filters = (extensions: readonly string[] = []) =>
    extensions.length === 0 ? [] : [{ name: extensions.map((it) => it.toUpperCase()).join(', '), extensions: [...extensions] }]

  return {
    async save({ suggestedName, extensions }: CallInput<'saveFile'>, from: WebContents): Promise<string | null> {
      const name = basename(suggestedName).replaceAll(/[\\/:*?"<>|\p{Cc}]/gu, '_')
      const kind = extname(name)
      const options = { defaultPath: join(folders.get(kind) ?? documents, name), filters: filters(extensions) }
      const window = BrowserWindow.fromWebContents(from)
      const { canceled, filePath } = await (window === null
        ? dialog.showSaveDialog(options)
        : dialog.showSaveDialog(window, options))
      if (canceled || filePath === undefined || filePath === '') return null
      folders.set(kind, dirname(filePath))
      chosen.addToWrite(filePath)
      vouch(filePath)
      return filePath
    },
    async open({ title, extensions }: CallInput<'openFile'>, from: WebContents): Promise<string | null> {
      const options = { title, properties: ['openFile' as const], filters: filters(extensions) }
      const window = BrowserWindow.fromWebContents(from)
      const { filePaths } = await (window === null ? dialog.showOpenDialog(options) : dialog.showOpenDialog(window, options))
      const [path] = filePaths
      if (path !== undefined) chosen.addToShow(path)
      return path ?? null
    },
  }
}
