// Serves the documentation without any other server: the OpenAPI document, Swagger UI, and the static files of the pages.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type RequestHandler, Router } from 'express';
import type { OpenApiDocument } from '../docs/openapi.ts';
import { onlyReading, PAGES, sendPage, setPolicy } from './own-pages.ts';

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
};

export function makeDocsRouter({ makeDocument }: DocsParts): Router {
  const router = Router({ strict: true });
  let documentText: Promise<string> | undefined;
  const docsPage = readFileSync(join(PAGES, 'docs.html'), 'utf8');

  router.all('/openapi.json', onlyReading, async (_req, res) => {
    documentText ??= makeDocument().then((made) => JSON.stringify(made));
    res.setHeader('cache-control', 'no-cache');
    res.type('json').send(await documentText);
  });
  router.all('/docs', onlyReading, (_req, res) => sendPage(res, docsPage));
  // The links of the page are relative, so that they work behind a proxy. Below `/docs/` they would be one level too deep.
  router.all('/docs/', onlyReading, (_req, res) => res.redirect(308, '../docs'));
  router.all('/docs/:file', onlyReading, sendFile);
  return router;
}

const sendFile: RequestHandler = (req, res, next) => {
  const name = String(req.params['file']);
  const root = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
  if (root === undefined) return next();
  setPolicy(res);
  res.sendFile(name, { root, cacheControl: false, headers: { 'cache-control': 'public, max-age=3600' } }, (failure) => {
    // A browser that disconnected is not an error.
    if (failure && !res.headersSent && !req.destroyed) next(failure);
  });
};
