import { htmlText } from '../../shared/format/index.ts'

const STYLE = `
:root{color-scheme:light dark}
body{font:15px/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto 0;padding:0 1.5rem}
h1{font-size:1.25rem;margin:0 0 .5rem}
p{margin:.5rem 0;opacity:.85}
code{font:13px/1.5 ui-monospace,monospace}
`

/** A page of a few words, for people who end up at an address that says no. */
export function noticePage(options: { title: string; paragraphs: string[]; nonce: string; script?: string }): string {
  const { title, paragraphs, nonce, script } = options
  const text = paragraphs.map((paragraph) => `<p>${htmlText(paragraph).replace(/`([^`]+)`/g, '<code>$1</code>')}</p>`)
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${htmlText(title)} · Speedgrid</title><style nonce="${nonce}">${STYLE}</style></head>`,
    `<body><h1>${htmlText(title)}</h1>${text.join('')}`,
    script === undefined ? '' : `<script nonce="${nonce}">${script}</script><noscript>This page needs JavaScript.</noscript>`,
    '</body></html>',
  ].join('\n')
}
