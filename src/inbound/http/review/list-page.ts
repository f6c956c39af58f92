// Draws the list of drafts: those of the opened visit, or all that wait for a reviewer. It has no patient data.
import type { Language } from '../../../domain/language.ts';
import type { Run } from '../../../domain/run/run.ts';
import type { DraftState } from '../../../flows/reviews/draft-state.ts';
import type { WaitingDraft } from '../../../ports/drafts.ts';
import { type Html, html } from '../pages/html.ts';
import { siteTime } from './draft-banner.ts';
import { footer } from './draft-page.ts';
import { TEXTS } from './review-texts.ts';
import type { ReviewTexts } from './texts-en.ts';

export type ListModel = {
  readonly language: Language;
  readonly isOfVisit: boolean;
  readonly drafts: readonly WaitingDraft[];
  /** The query of the next page. */
  readonly next?: string;
  /** Runs of the opened visit that are no open drafts, with what happens to them. */
  readonly others: readonly { readonly run: Run; readonly state: DraftState }[];
  readonly reader: string;
  readonly accountAddress?: string | undefined;
  readonly timeZoneOf: (site: string) => string;
};

export function listPage(model: ListModel): Html {
  const texts = TEXTS[model.language];
  const { isOfVisit, drafts, others, next, reader, accountAddress } = model;
  const none = isOfVisit ? texts.noDraftsOfVisit : texts.noDrafts;
  const items = drafts.map((draft) => draftItem(draft, model, texts));
  const rest = others.map((other) => otherItem(other, model, texts));
  return html`<header class="top"><h1>${isOfVisit ? texts.visitTitle : texts.listTitle}</h1></header>
<main><section>${items.length === 0 ? html`<p>${none}</p>` : html`<ul class="drafts">${items}</ul>`}
${next !== undefined && html`<p><a href="review?after=${encodeURIComponent(next)}">${texts.more}</a></p>`}</section>
${rest.length > 0 && html`<section><h2>${texts.otherRuns}</h2><ul class="drafts">${rest}</ul></section>`}</main>
${footer({ reader, accountAddress }, texts)}`;
}

function draftItem({ run, claim }: WaitingDraft, model: ListModel, texts: ReviewTexts): Html {
  const held =
    (run.reason !== undefined && heldWords(run.reason, texts)) ||
    (run.status === 'held' ? texts.openHeld : texts.openInChart);
  return html`<li class="${run.isUrgent && 'red'}"><a href="review/${run.id}">${run.encounter}</a> <span>${run.site}, ${time(run, model)}</span>
${run.isUrgent && html`<b class="mark">${texts.urgent}</b>`}<p class="why">${held}${claim && html` (${texts.claimed(claim)})`}</p></li>`;
}

function heldWords(reason: NonNullable<Run['reason']>, { held }: ReviewTexts): string | undefined {
  return Object.entries(held).find(([name]) => name === reason)?.[1];
}

function otherItem({ run, state }: ListModel['others'][number], model: ListModel, texts: ReviewTexts): Html {
  const words = state.kind === 'open' ? texts.openHeld : texts.states[state.kind];
  return html`<li><a href="review/${run.id}">${run.encounter}</a> <span>${time(run, model)}</span><p class="why">${words}</p></li>`;
}

function time({ createdAt, site }: Run, { language, timeZoneOf }: ListModel): string {
  return siteTime(createdAt, { language, timeZone: timeZoneOf(site) });
}
