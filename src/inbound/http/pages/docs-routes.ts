// Serves the documentation without any other server: the OpenAPI document, Swagger UI, and the static files of the pages.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { Router } from 'express';
import type { OpenApiDocument } from '../docs/openapi.ts';
import { type FixedDocument, prepareDocument, sendDocument } from './fixed-document.ts';
import { onlyReading, PAGES, setPolicy } from './own-pages.ts';

type DocsParts = {
  /** Called at the first request for the document: most engines are never asked for it. */
  readonly makeDocument: () => Promise<OpenApiDocument>;
};

// Resolved by its package.json, because the entry of the package would run the browser bundle in this process.
const SWAGGER_UI = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** The only files that are served below /docs. */
const FILES: Readonly<Record<string, string>> = {
  'swagger-ui.css': SWAGGER_UI,
  'swagger-ui-bundle.js': SWAGGER_UI,
  'start.js': PAGES,
  'home.css': PAGES,
  'home-runs.css': PAGES,
  'home.js': PAGES,
  'icon.svg': PAGES,
  'person.css': PAGES,
  'passkey.js': PAGES,
  'what-to-do.html': PAGES,
  'review.css': PAGES,
  'review.js': PAGES,
};

const JSON_TYPE = 'application/json; charset=utf-8';
const BINARY = 'application/octet-stream';
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export function makeDocsRouter({ makeDocument }: DocsParts): Router {
  const router = Router({ strict: true });
  /** Each document is prepared when it is first asked for. */
  const prepared = new Map<string, Promise<FixedDocument>>();
  const documentOf = (name: string, make: () => Promise<FixedDocument>): Promise<FixedDocument> => {
    const known = prepared.get(name) ?? make();
    prepared.set(name, known);
    // What failed is tried again at the next request.
    known.catch(() => prepared.delete(name));
    return known;
  };
  const fileOf = (name: string, root: string): Promise<FixedDocument> =>
    documentOf(name, async () => prepareDocument(TYPES[extname(name)] ?? BINARY, await readFile(join(root, name))));

  router.all('/openapi.json', onlyReading, async (req, res) => {
    const made = await documentOf('openapi', async () =>
      prepareDocument(JSON_TYPE, JSON.stringify(await makeDocument())),
    );
    res.setHeader('cache-control', 'no-cache');
    sendDocument(req, res, made);
  });
  router.all('/docs', onlyReading, async (req, res) => {
    setPolicy(res);
    res.setHeader('cache-control', 'no-cache');
    sendDocument(req, res, await fileOf('docs.html', PAGES));
  });
  // The links of the page are relative, so that they work behind a proxy. Below `/docs/` they would be one level too deep.
  router.all('/docs/', onlyReading, (_req, res) => res.redirect(308, '../docs'));
  router.all('/docs/:file', onlyReading, async (req, res, next) => {
    const name = String(req.params['file']);
    const root = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
    if (root === undefined) return next();
    setPolicy(res);
    res.setHeader('cache-control', 'public, max-age=3600');
    sendDocument(req, res, await fileOf(name, root));
  });
  return router;
}
