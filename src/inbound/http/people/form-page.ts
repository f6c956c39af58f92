// Pages with forms for people: made on the server, without any script, so that a foreign text on them can do nothing.
import type { Response } from 'express';
import { escapeHtml } from '../pages/own-pages.ts';

const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

export type FormPage = {
  readonly status?: number;
  readonly title: string;
  /** HTML, whose values are escaped. */
  readonly main: string;
};

/** Links on it are relative, so that it works behind a proxy with a path. */
export function sendFormPage(res: Response, { status = 200, title, main }: FormPage): void {
  res.setHeader('content-security-policy', POLICY);
  res.setHeader('x-content-type-options', 'nosniff');
  res.setHeader('referrer-policy', 'same-origin');
  res.setHeader('cache-control', 'no-store');
  res
    .status(status)
    .type('html')
    .send(`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${escapeHtml(title)} – Chartwright</title>
    <link rel="icon" href="docs/icon.svg" />
    <link rel="stylesheet" href="docs/people.css" />
  </head>
  <body>
    <main>
      <h1>${escapeHtml(title)}</h1>
${main}
    </main>
  </body>
</html>
`);
}
