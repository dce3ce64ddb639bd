import type { WebPreferences } from 'electron'

/** The same for every window with a page of ours. What is a default already is said all the same: a test reads it. */
export const webPreferences = (preload: string) =>
  ({
    preload,
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webviewTag: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    navigateOnDragDrop: false,
    spellcheck: false,
    // Figures of a sweep go on arriving while the window is behind others.
    backgroundThrottling: false,
  }) satisfies WebPreferences
