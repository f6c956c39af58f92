// Draws the forms by which a clinician decides about a draft. They name the revision that was read and the session for which they were drawn.
import { REJECT_CATEGORIES } from '../../../domain/run/draft-decision.ts';
import { type Html, html } from '../pages/html.ts';
import type { DraftModel } from './draft-model.ts';
import type { ReviewTexts } from './texts-en.ts';

export function decisionForms(model: DraftModel, texts: ReviewTexts): Html {
  const { claim, sections } = model;
  const claimed = claim !== undefined && html`<p class="alert warn">${texts.claimedBy(claim)}</p>`;
  const approve = form(
    model,
    'approve',
    texts,
    html`<p>${texts.approveLead}</p><button class="first">${texts.approve}</button>`,
  );
  const areas = sections.map(
    ({ key, title, text }, index) =>
      html`<label for="edit-${index}">${title}</label>
<textarea id="edit-${index}" name="section.${key}" rows="${rowsOf(text)}" spellcheck="true">
${text}</textarea>`,
  );
  const edit = form(model, 'edit', texts, html`<p>${texts.editLead}</p>${areas}<button>${texts.saveEdit}</button>`);
  return html`<section class="decision" aria-labelledby="decide"><h2 id="decide">${texts.decide}</h2>
${claimed}${approve}
${sections.length > 0 && html`<details><summary>${texts.edit}</summary>${edit}</details>`}
<details><summary>${texts.reject}</summary>${form(model, 'reject', texts, rejectFields(texts))}</details></section>`;
}

function rejectFields(texts: ReviewTexts): Html {
  const options = REJECT_CATEGORIES.map(
    (category) => html`<option value="${category}">${texts.categoriesOfRejection[category]}</option>`,
  );
  return html`<p>${texts.rejectLead}</p>
<label for="category">${texts.rejectReason}</label><select id="category" name="category">${options}</select>
<label for="reason">${texts.rejectWhy}</label><textarea id="reason" name="reason" rows="3" maxlength="1000" required></textarea>
<button class="danger">${texts.reject}</button>`;
}

function form(
  { run, formToken, claim }: DraftModel,
  decision: 'approve' | 'edit' | 'reject',
  texts: ReviewTexts,
  fields: Html,
): Html {
  const anyway =
    claim !== undefined &&
    html`<label class="check"><input type="checkbox" name="takeOver" value="true" required> ${texts.decideAnyway}</label>`;
  return html`<form method="post" action="${run.id}" class="${decision}">
<input type="hidden" name="decision" value="${decision}"><input type="hidden" name="revision" value="${run.revision}">
<input type="hidden" name="form" value="${formToken}">${anyway}${fields}</form>`;
}

function rowsOf(text: string): number {
  const lines = text.split('\n').reduce((sum, line) => sum + 1 + Math.floor(line.length / 80), 0);
  return Math.min(20, Math.max(3, lines + 1));
}
