// The page of a draft whose chart is restricted: a reviewer opens it with a reason (break-glass), and reads here what happens then.
import { type Html, html } from '../pages/html.ts';
import { footer } from './draft-page.ts';
import type { ReviewTexts } from './texts-en.ts';

export type ClosedModel = {
  readonly run: string;
  readonly formToken: string;
  readonly reader: string;
  readonly listAddress?: string | undefined;
  readonly accountAddress?: string | undefined;
  /** Why it was not opened. */
  readonly refusal?: string | undefined;
};

export function closedPage({ run, formToken, refusal, ...foot }: ClosedModel, texts: ReviewTexts): Html {
  const wrong = refusal !== undefined && html`<p class="alert bad" role="alert">${refusal}</p>`;
  return html`<header class="top"><p class="product">Chartwright</p></header>
<main class="message"><h1>${texts.restricted}</h1><p>${texts.restrictedLead}</p>${wrong}
<form method="post" action="${run}" class="open"><input type="hidden" name="decision" value="open">
<input type="hidden" name="form" value="${formToken}">
<label for="reason">${texts.openWhy}</label><textarea id="reason" name="reason" rows="3" maxlength="1000" required></textarea>
<p>${texts.openConsequence}</p><button class="danger">${texts.openChart}</button></form></main>
${footer(foot, texts)}`;
}
