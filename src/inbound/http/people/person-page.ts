// The frame of the pages for people: no content of other places, no inline script or style, never kept by a browser or proxy, and never in a frame.
import type { Response } from 'express';
import { escapeHtml } from '../pages/own-pages.ts';

export type PersonPage = {
  readonly title: string;
  /** HTML whose values are escaped. */
  readonly body: string;
  /** The path of PUBLIC_URL, without a slash at its end. */
  readonly base: string;
  /** A file of `pages/static`. */
  readonly script?: string;
};

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

export function sendPersonPage(res: Response, page: PersonPage): void {
  setPersonHeaders(res);
  res.setHeader('content-security-policy', POLICY);
  res.type('html').send(draw(page));
}

/** `same-origin`: a browser without Fetch Metadata says the origin of a form only with it. */
export function setPersonHeaders(res: Response): void {
  res.setHeader('cache-control', 'no-store');
  res.setHeader('referrer-policy', 'same-origin');
  res.setHeader('x-content-type-options', 'nosniff');
}

function draw({ title, body, base, script }: PersonPage): string {
  const root = escapeHtml(base);
  const scriptTag = script === undefined ? '' : `<script type="module" src="${root}/docs/${script}"></script>`;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${escapeHtml(title)} – Chartwright</title>
    <link rel="icon" href="${root}/docs/icon.svg" />
    <link rel="stylesheet" href="${root}/docs/home.css" />
    <link rel="stylesheet" href="${root}/docs/person.css" />
    ${scriptTag}
  </head>
  <body class="person">
    <header>
      <img src="${root}/docs/icon.svg" alt="" width="36" height="36" />
      <p class="product">Chartwright</p>
    </header>
    <main>
      <h1>${escapeHtml(title)}</h1>
      ${body}
    </main>
  </body>
</html>
`;
}
