// The pages that say one thing: who is not let in and why, how to come in, and what did not work.
import type { Response } from 'express';
import type { AppError } from '../../../domain/errors.ts';
import type { Language } from '../../../domain/language.ts';
import { sendFramedPage } from '../pages/framed-page.ts';
import { type Html, html } from '../pages/html.ts';
import { TEXTS } from './review-texts.ts';

export type PagePlace = {
  /** The way from the page to the root of the engine: `../`. */
  readonly root: string;
  readonly frameOrigins: readonly string[];
  readonly language?: Language;
};

export type Message = PagePlace & { readonly title: string; readonly lead: string; readonly more?: Html };

export function sendMessage(res: Response, { title, lead, more, language = 'en', ...place }: Message): void {
  const body = html`<header class="top"><p class="product">Chartwright</p></header>
<main class="message"><h1>${title}</h1><p>${lead}</p>${more}</main>`;
  sendFramedPage(res, { ...place, language, title, body });
}

/** `not-let-in`: at the door; `failed`: a page of the review. The message of an unexpected failure is for the log. */
export function sendMessagePage(
  res: Response,
  { kind, error, ...place }: PagePlace & { readonly kind: 'not-let-in' | 'failed'; readonly error: AppError },
): void {
  const texts = TEXTS[place.language ?? 'en'];
  const title = kind === 'not-let-in' ? texts.notLetIn : texts.wentWrong;
  sendMessage(res, { ...place, title, lead: error.code === 'internal' ? texts.internal : error.message });
}
