import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, relative, sep } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ProxyError } from '../../../contract/errors.ts';

/** Only our own files may be loaded or run, so that text from servers and agents stays text. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  'media-src data:',
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
};

/** Paths of the views of the single-page app. */
const VIEWS = new Set([
  '',
  'activity',
  'audit',
  'session',
  'agent',
  'review',
  'policy',
  'approvals',
  'tools',
  'prompts',
  'resources',
  'servers',
  'connect',
  'assistant',
  'settings',
]);

interface PageFile {
  body: Buffer;
  gzipped: () => Buffer;
  type: string;
  /** Its name changes with its content. */
  immutable: boolean;
}

/** True where the request was for a file of the web UI and was answered. */
export type AnswerPage = (req: IncomingMessage, res: ServerResponse, path: string) => boolean;

/** The built web UI is small, so it is read once. It may be missing: then the installation has no web UI. */
export function createPageFiles(dir: string): AnswerPage {
  const files = readFiles(dir);
  return (req, res, path) => {
    const file = files.get(path) ?? (isView(path) ? files.get('/index.html') : undefined);
    if (!file) return false;
    if (req.method !== 'GET' && req.method !== 'HEAD')
      throw new ProxyError('METHOD_NOT_ALLOWED', `${path} takes GET and HEAD only`, {
        allow: ['GET', 'HEAD'],
      });
    send(req, res, file);
    return true;
  };
}

function send(req: IncomingMessage, res: ServerResponse, { body, gzipped, type, immutable }: PageFile): void {
  const zip = /\bgzip\b/.test(req.headers['accept-encoding'] ?? '');
  const content = zip ? gzipped() : body;
  res.writeHead(200, {
    'content-type': type,
    'content-length': content.length,
    'content-security-policy': PAGE_POLICY,
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
    ...(zip && { 'content-encoding': 'gzip' }),
  });
  res.end(req.method === 'HEAD' ? undefined : content);
}

function isView(path: string): boolean {
  return VIEWS.has(path.slice(1));
}

function readFiles(dir: string): Map<string, PageFile> {
  const files = new Map<string, PageFile>();
  for (const path of filesBelow(dir)) {
    const type = TYPES[extname(path)];
    if (!type) continue;
    const body = readFileSync(path);
    const name = `/${relative(dir, path).split(sep).join('/')}`;
    files.set(name, { body, gzipped: lazyGzip(body), type, immutable: name.startsWith('/assets/') });
  }
  return files;
}

/** Compressed on first use, so that the start does not wait for it. */
function lazyGzip(body: Buffer): () => Buffer {
  let gzipped: Buffer | undefined;
  return () => (gzipped ??= gzipSync(body));
}

function filesBelow(dir: string): string[] {
  try {
    return readdirSync(dir, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? filesBelow(join(dir, entry.name)) : [join(dir, entry.name)],
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
