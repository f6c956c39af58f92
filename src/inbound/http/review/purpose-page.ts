// Asks a person who did not come from the EHR why patient data is read.
import { PURPOSES } from '../../../domain/people/purpose.ts';
import { type Html, html } from '../pages/html.ts';
import type { ReviewTexts } from './texts-en.ts';

export function purposePage(
  { formToken, root }: { readonly formToken: string; readonly root: string },
  texts: ReviewTexts,
): Html {
  const buttons = PURPOSES.map((one) => html`<button name="purpose" value="${one}">${texts.purposes[one]}</button>`);
  return html`<header class="top"><p class="product">Chartwright</p></header>
<main class="message"><h1>${texts.whyRead}</h1><p>${texts.whyReadLead}</p>
<form method="post" action="${root}review/purpose" class="purpose"><input type="hidden" name="form" value="${formToken}">${buttons}</form></main>`;
}
