// Draws the review of one draft: the patient first, what is urgent, the note with its marks, what is missing, the differential, and the decision.
import type { Triage } from '../../../domain/diagnosis/diagnosis.ts';
import type { MissingView } from '../../../domain/run/evidence-view.ts';
import type { Run } from '../../../domain/run/run.ts';
import { type Html, html } from '../pages/html.ts';
import { decisionForms } from './decision-forms.ts';
import type { DraftBanner } from './draft-banner.ts';
import type { DraftModel } from './draft-model.ts';
import { isDoubtful, sectionPart, wordsPart } from './draft-note.ts';
import { TEXTS } from './review-texts.ts';
import type { ReviewTexts } from './texts-en.ts';

export function draftPage(model: DraftModel): Html {
  const texts = TEXTS[model.language];
  const { banner, listAddress, accountAddress, reader, run } = model;
  return html`${bannerPart(banner, texts)}
<main>
${model.refusal !== undefined && refusalPart(model.refusal, run.id, texts)}
${alerts(model, texts)}
${statePart(model, texts)}
${newerPart(model, texts)}
${notePart(model, texts)}
${missingPart(model.missing, texts)}
${differentialPart(model, texts)}
${canBeDecided(model) && decisionForms(model, texts)}
</main>
${footer({ reader, listAddress, accountAddress }, texts)}`;
}

function bannerPart(banner: DraftBanner | undefined, texts: ReviewTexts): Html {
  if (banner === undefined) return html`<header class="top"><p class="product">Chartwright</p></header>`;
  const { name, birthDate, gender, mrn, patient, visitTime, place } = banner;
  const facts = [
    birthDate !== undefined && html`<span>${texts.born} <b>${birthDate}</b></span>`,
    gender !== undefined && html`<span>${texts.gender[gender]}</span>`,
    mrn === undefined ? html`<span>${patient}</span>` : html`<span>${texts.mrn} <b>${mrn}</b></span>`,
  ];
  const where = place !== undefined && html`, ${place}`;
  return html`<header class="top patient"><h1>${name ?? texts.noName}</h1><p class="facts">${facts}</p>
<p class="visit">${texts.visit}: ${visitTime ?? texts.noTime}${where}</p></header>`;
}

function refusalPart(refusal: string, run: string, texts: ReviewTexts): Html {
  return html`<section class="alert bad" role="alert"><h2>${texts.refused}</h2><p>${refusal}</p>
<p><a href="${run}">${texts.again}</a></p></section>`;
}

function alerts({ triage, run, state, isCheckedTwice }: DraftModel, texts: ReviewTexts): Html {
  const held = state.kind === 'open' && state.isHeld && run.reason !== undefined && heldWords(run.reason, texts);
  return html`${triage?.triage_level === 'RED' && redPart(triage, texts)}
${held && html`<section class="alert warn"><p>${held}</p></section>`}
${isCheckedTwice === false && html`<section class="alert warn"><p>${texts.checkFailed}</p></section>`}`;
}

function heldWords(reason: NonNullable<Run['reason']>, { held }: ReviewTexts): string | undefined {
  return Object.entries(held).find(([name]) => name === reason)?.[1];
}

function redPart({ triage_justification: why, triage_recommendation: what }: Triage, texts: ReviewTexts): Html {
  return html`<section class="alert red" role="alert"><h2>${texts.red}</h2><p>${what}</p><p class="why">${why}</p></section>`;
}

function statePart({ state, run, decidedAt }: DraftModel, texts: ReviewTexts): Html {
  const { review } = run;
  const time = decidedAt ?? '';
  const name = review?.name ?? review?.reviewer ?? '';
  const decided = review !== undefined && texts.decidedBy({ name, time, isEdited: review.decision === 'edit' });
  const words = state.kind === 'open' ? (state.isHeld ? texts.openHeld : texts.openInChart) : texts.states[state.kind];
  const message = 'message' in state && state.message !== '' && html`<p class="why">${state.message}</p>`;
  return html`<section class="state ${state.kind}" role="status"><p>${decided && html`<b>${decided}</b> `}${words}</p>${message}</section>`;
}

function newerPart({ newer }: DraftModel, texts: ReviewTexts): Html | undefined {
  if (newer === undefined) return undefined;
  const words = newer.state.kind === 'being-made' ? texts.newDraftComes : texts.newDraftThere;
  return html`<section class="newer" role="status"><p>${words}</p>
<p><a href="${newer.run.id}">${texts.openNewDraft}</a></p></section>`;
}

/** As soon as there is another draft, a decision is about that one. */
function canBeDecided({ state, newer }: DraftModel): boolean {
  return state.kind === 'open' && (newer === undefined || newer.run.revision === 0);
}

function notePart({ noteTitle, sections, state }: DraftModel, texts: ReviewTexts): Html | undefined {
  if (state.kind === 'being-made' || (sections.length === 0 && state.kind === 'nothing')) return undefined;
  if (sections.length === 0) return html`<section class="note"><h2>${texts.note}</h2><p>${texts.noNote}</p></section>`;
  const doubtful = sections.flatMap(({ statements }) => statements).filter(isDoubtful).length;
  return html`<section class="note" aria-labelledby="note"><h2 id="note">${noteTitle ?? texts.note}</h2>
<p class="lead">${texts.machineDraft} ${doubtful > 0 && html`<b>${texts.marks(doubtful)}</b>`}</p>
${sections.map((section) => sectionPart(section, texts))}</section>`;
}

function missingPart(missing: readonly MissingView[], texts: ReviewTexts): Html | undefined {
  if (missing.length === 0) return undefined;
  const items = missing.map(
    ({ kind, text, words }) =>
      html`<li><span class="kind">${texts.kinds[kind]}</span> <b>${text}</b>${wordsPart({ words }, texts)}</li>`,
  );
  return html`<section class="missing" aria-labelledby="missing"><h2 id="missing">${texts.missing}</h2>
<p class="lead">${texts.missingLead}</p><ul>${items}</ul></section>`;
}

function differentialPart({ diseases, triage }: DraftModel, texts: ReviewTexts): Html | undefined {
  if (diseases.length === 0 && triage === undefined) return undefined;
  const rows = diseases.map(({ name, icd10_code: code, probability, category, why, diagnostic_tests: tests }) => {
    const percent = `${Math.round(probability * 100)} %`;
    return html`<li class="${category}"><h3>${name} ${code !== '' && html`<span class="code">${code}</span>`}</h3>
<p class="how"><span class="category">${texts.categories[category]}</span> <span>${percent}</span></p><p>${why}</p>
${tests.length > 0 && html`<p class="tests"><b>${texts.tests}:</b> ${tests.join('; ')}</p>`}</li>`;
  });
  const calm =
    triage !== undefined &&
    triage.triage_level !== 'RED' &&
    html`<p><b>${texts.triage}:</b> ${triage.triage_level}. ${triage.triage_recommendation}</p>`;
  return html`<section class="differential" aria-labelledby="differential"><h2 id="differential">${texts.differential}</h2>
<p class="lead">${texts.differentialLead}</p>${calm}<ol>${rows}</ol></section>`;
}

type Foot = {
  readonly reader: string;
  readonly listAddress?: string | undefined;
  readonly accountAddress?: string | undefined;
};

export function footer({ reader, listAddress, accountAddress }: Foot, texts: ReviewTexts): Html {
  const who = texts.signedInAs(reader);
  return html`<footer>${listAddress !== undefined && html`<a href="${listAddress}">${texts.back}</a>`}
<p>${accountAddress === undefined ? who : html`<a href="${accountAddress}">${who}</a>`}</p></footer>`;
}
