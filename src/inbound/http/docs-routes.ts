// The documentation, all of it from this machine: the OpenAPI document, Swagger UI, and a page to begin with.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type RequestHandler, type Response, Router } from 'express';
import { AppError } from '../../domain/errors.ts';
import { exampleHistory } from './examples.ts';
import type { OpenApiDocument } from './openapi.ts';

type DocsParts = { readonly openApiDocument: OpenApiDocument };

/** Nothing from elsewhere, and no script inside a page. Swagger UI sets styles inside, and has pictures as data. */
const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGES = join(import.meta.dirname, 'pages');
// By its package.json: the package's entry would run the browser's bundle in this process.
const SWAGGER_UI = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** The only files that are served, each under /docs. */
const FILES: Readonly<Record<string, string>> = {
  'swagger-ui.css': SWAGGER_UI,
  'swagger-ui-bundle.js': SWAGGER_UI,
  'start.js': PAGES,
  'landing.css': PAGES,
  'icon.svg': PAGES,
};

export function makeDocsRouter({ openApiDocument }: DocsParts): Router {
  const router = Router({ strict: true });
  const documentText = JSON.stringify(openApiDocument);
  const docsPage = readFileSync(join(PAGES, 'docs.html'), 'utf8');
  const landingPage = fillIn(readFileSync(join(PAGES, 'landing.html'), 'utf8'), {
    version: openApiDocument.info.version,
    serverUrl: openApiDocument.servers?.[0]?.url ?? '',
    history: exampleHistory,
  });

  router.all('/openapi.json', onlyReading, (_req, res) => {
    res.setHeader('cache-control', 'no-cache');
    res.type('json').send(documentText);
  });
  router.all('/', onlyReading, sendPage(landingPage));
  router.all('/docs', onlyReading, sendPage(docsPage));
  // The page's links are relative, so that they hold behind a proxy too; from here they would point one level too deep.
  router.all('/docs/', onlyReading, (_req, res) => res.redirect(308, '../docs'));
  router.all('/docs/:file', onlyReading, sendFile);
  return router;
}

const onlyReading: RequestHandler = (req, res, next) => {
  if (req.method === 'GET' || req.method === 'HEAD') return next();
  res.setHeader('allow', 'GET, HEAD');
  throw new AppError('methodNotAllowed', 'This address takes GET, HEAD');
};

function sendPage(page: string): RequestHandler {
  return (_req, res) => {
    setPolicy(res);
    res.setHeader('cache-control', 'no-cache');
    res.type('html').send(page);
  };
}

const sendFile: RequestHandler = (req, res, next) => {
  const name = String(req.params['file']);
  const root = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
  if (root === undefined) return next();
  setPolicy(res);
  res.sendFile(name, { root, cacheControl: false, headers: { 'cache-control': 'public, max-age=3600' } }, (failure) => {
    // A browser that has left is no failure.
    if (failure && !res.headersSent && !req.destroyed) next(failure);
  });
};

function setPolicy(res: Response): void {
  res.setHeader('content-security-policy', CONTENT_POLICY);
  res.setHeader('x-content-type-options', 'nosniff');
}

function fillIn(page: string, values: Readonly<Record<string, string>>): string {
  return page.replace(/\{\{(\w+)\}\}/g, (_, name: string) => escapeHtml(values[name] ?? ''));
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
