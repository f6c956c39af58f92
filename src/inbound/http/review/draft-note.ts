// Draws a section of the note: its statements, each with its mark and the words on which it rests.
import type { ChartSource } from '../../../domain/note/check-report.ts';
import type { SpokenWords, StatementView } from '../../../domain/run/evidence-view.ts';
import { type Html, html } from '../pages/html.ts';
import type { DraftSection } from './draft-sections.ts';
import type { ReviewTexts } from './texts-en.ts';

/** What a clinician has to look at. */
export function isDoubtful({ verdict }: Pick<StatementView, 'verdict'>): boolean {
  return verdict !== 'supported' && verdict !== 'unchecked';
}

export function sectionPart({ title, text, statements, areWhole }: DraftSection, texts: ReviewTexts): Html {
  const heading = html`<h3>${title}</h3>`;
  if (areWhole && statements.length > 0) {
    return html`${heading}<ul class="statements">${statements.map((one) => statementPart(one, texts))}</ul>`;
  }
  const doubtful = statements.filter(isDoubtful);
  const found = html`<h4>${texts.found}</h4><ul class="statements">${doubtful.map((one) => statementPart(one, texts))}</ul>`;
  return html`${heading}<p class="text">${text}</p>${doubtful.length > 0 && found}`;
}

function statementPart(statement: StatementView, texts: ReviewTexts): Html {
  const { verdict, text, words, chart, claims } = statement;
  if (!isDoubtful(statement)) {
    const has = words.length > 0 || chart.length > 0;
    const rest = html`<details><summary>${texts.restsOn}</summary>${wordsPart({ words, chart }, texts)}</details>`;
    return html`<li class="${verdict}"><p class="text">${text}</p>${has && rest}</li>`;
  }
  const doubted = claims
    .filter(isDoubtful)
    .map(
      (claim) =>
        html`<li><q>${claim.text}</q> <span class="kind">${texts.kinds[claim.kind]}</span> ${texts.verdicts[claim.verdict]}${
          claim.effect === 'hold' && html` · ${texts.effects.hold}`
        }${claim.chart && html`: ${chartText(claim.chart, texts)}`}</li>`,
    );
  return html`<li class="${verdict}"><p class="text">${text} <span class="mark">${texts.verdicts[verdict]}</span></p>
<ul class="claims">${doubted}</ul>${wordsPart({ words, chart }, texts, texts.nothingSaid)}</li>`;
}

type Sources = { readonly words: readonly SpokenWords[]; readonly chart?: readonly ChartSource[] };

/** `nothing`: what is said if there is neither a word nor an entry. */
export function wordsPart({ words, chart = [] }: Sources, texts: ReviewTexts, nothing?: string): Html | undefined {
  if (words.length === 0 && chart.length === 0)
    return nothing === undefined ? undefined : html`<p class="why">${nothing}</p>`;
  const spoken = words.map(
    ({ speaker, text, startSeconds }) =>
      html`<li><span class="who">${texts.speaker} ${speaker + 1}, ${clock(startSeconds)}</span> <q>${text}</q></li>`,
  );
  const entries = chart.map((source) => html`<li>${chartText(source, texts)}</li>`);
  return html`<ul class="words">${spoken}${entries}</ul>`;
}

function chartText({ list, text }: ChartSource, texts: ReviewTexts): Html {
  return html`<span class="who">${texts.inChart[list]}</span> ${text === '' ? texts.emptyList : text}`;
}

/** `1:05` */
function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
}
