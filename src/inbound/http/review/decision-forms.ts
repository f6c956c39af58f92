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
${canAskForAnother(model) && html`<details><summary>${texts.correct}</summary>${form(model, 'correct', texts, correctFields(texts))}</details>`}
<details><summary>${texts.reject}</summary>${form(model, 'reject', texts, rejectFields(texts))}</details></section>`;
}

/** Not of the rules, and not while another draft is being made. */
function canAskForAnother({ canBeCorrected, newer }: DraftModel): boolean {
  return canBeCorrected && newer === undefined;
}

function correctFields(texts: ReviewTexts): Html {
  return html`<p>${texts.correctLead}</p>
<label for="instruction">${texts.correctHow}</label><textarea id="instruction" name="reason" rows="3" maxlength="1000" required></textarea>
<label for="fault">${texts.correctReason}</label><select id="fault" name="category"><option value="">${texts.noCategory}</option>${categories(texts)}</select>
<button>${texts.askForCorrection}</button>`;
}

function categories(texts: ReviewTexts): readonly Html[] {
  return REJECT_CATEGORIES.map(
    (category) => html`<option value="${category}">${texts.categoriesOfRejection[category]}</option>`,
  );
}

function rejectFields(texts: ReviewTexts): Html {
  return html`<p>${texts.rejectLead}</p>
<label for="category">${texts.rejectReason}</label><select id="category" name="category">${categories(texts)}</select>
<label for="reason">${texts.rejectWhy}</label><textarea id="reason" name="reason" rows="3" maxlength="1000" required></textarea>
<button class="danger">${texts.reject}</button>`;
}

function form(
  { run, formToken, claim }: DraftModel,
  decision: 'approve' | 'edit' | 'reject' | 'correct',
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
