// Shared by the engine's HTML pages: security headers, allowed methods, and a template function.
import { join } from 'node:path';
import type { RequestHandler, Response } from 'express';
import { AppError } from '../../../domain/errors.ts';

export const PAGES = join(import.meta.dirname, 'static');

/** Forbids content of other origins and inline scripts. Swagger UI needs inline styles and pictures in data URLs. */
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

export const onlyReading: RequestHandler = (req, res, next) => {
  if (req.method === 'GET' || req.method === 'HEAD') return next();
  res.setHeader('allow', 'GET, HEAD');
  throw new AppError('methodNotAllowed', 'This address takes GET, HEAD');
};

export function sendPage(res: Response, page: string): void {
  setPolicy(res);
  res.setHeader('cache-control', 'no-cache');
  res.type('html').send(page);
}

export function setPolicy(res: Response): void {
  res.setHeader('content-security-policy', CONTENT_POLICY);
  res.setHeader('x-content-type-options', 'nosniff');
}

/** Replaces each `{{name}}` by its value. The caller must escape the values. */
export function fillIn<Name extends string>(page: string, values: Readonly<Record<Name, string>>): string {
  return page.replace(/\{\{(\w+)\}\}/g, (_, name: Name) => values[name]);
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
