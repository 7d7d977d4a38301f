import { createRequire } from 'node:module';
import { firefox, type Browser } from 'playwright-core';

interface Socket {
  emit(event: 'message', data: Buffer, isBinary: boolean): void;
}
type Send = (this: Socket, message: string, ...rest: unknown[]) => void;

/** The sockets that Playwright itself speaks WebDriver BiDi through. */
const { ws } = createRequire(import.meta.url)('playwright-core/lib/utilsBundle') as {
  ws: { prototype: { send: Send } };
};
/** Firefox ESR does not know this command, and Playwright sends it with each context. */
const UNKNOWN = 'emulation.setMediaFeaturesOverride';
let isPatched = false;

/** Answers that command in place of Firefox: its pages have the colours of `ui.systemUsesDarkTheme`. */
function answerUnknown(): void {
  if (isPatched) return;
  isPatched = true;
  const { send } = ws.prototype;
  ws.prototype.send = function (message, ...rest) {
    if (!message.includes(UNKNOWN)) return send.call(this, message, ...rest);
    const { id } = JSON.parse(message) as { id: number };
    const answer = JSON.stringify({ type: 'success', id, result: {} });
    setImmediate(() => this.emit('message', Buffer.from(answer), false));
  };
}

/** A stock Firefox, driven by WebDriver BiDi. Its pages are light. */
export function launchFirefox(executablePath: string): Promise<Browser> {
  answerUnknown();
  return firefox.launch({
    channel: 'moz-firefox',
    executablePath,
    firefoxUserPrefs: { 'ui.systemUsesDarkTheme': 0 },
  });
}

/** Playwright would set the value of a field, which React does not take for typing. This types: a script for each page. */
export const TYPING = `Object.defineProperty(window, '__pw_bidiInsertText', {
  get: () => (text) => void document.execCommand('insertText', false, text),
  set() {},
});`;
