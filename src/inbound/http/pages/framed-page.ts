// The frame of the pages for clinicians: no content of other places, no inline script or style, never kept by a browser or proxy, and in a frame only
// of the origins that the site names.
import type { Response } from 'express';
import { type Html, html } from './html.ts';

export type FramedPage = {
  readonly title: string;
  readonly language: string;
  /** The way from the page to the root of the engine: `../`. Addresses are relative, so that they work behind a proxy. */
  readonly root: string;
  readonly body: Html;
  /** Origins of which the page may be in a frame. */
  readonly frameOrigins: readonly string[];
};

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
] as const;

export function sendFramedPage(res: Response, page: FramedPage): void {
  setFramedHeaders(res, page.frameOrigins);
  res.type('html').send(draw(page).text);
}

/** `same-origin`: a browser without Fetch Metadata says the origin of a form only with it. */
export function setFramedHeaders(res: Response, frameOrigins: readonly string[]): void {
  const ancestors = frameOrigins.length === 0 ? "'none'" : frameOrigins.join(' ');
  res.setHeader('content-security-policy', [...POLICY, `frame-ancestors ${ancestors}`].join('; '));
  // It knows no list: a browser that obeys it would show no frame at all.
  if (frameOrigins.length === 0) res.setHeader('x-frame-options', 'DENY');
  else res.removeHeader('x-frame-options');
  res.setHeader('cache-control', 'no-store');
  res.setHeader('referrer-policy', 'same-origin');
  res.setHeader('x-content-type-options', 'nosniff');
}

function draw({ title, language, root, body }: FramedPage): Html {
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} – Chartwright</title>
<link rel="icon" href="${root}docs/icon.svg">
<link rel="stylesheet" href="${root}docs/review.css">
<script type="module" src="${root}docs/review.js"></script>
</head>
<body>
${body}
</body>
</html>
`;
}
