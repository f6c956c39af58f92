// Renders the first page as HTML that is complete without a script. `static/home.js` renders the same in the browser; a test keeps
// the two equal.
import type { HomeAnswer, HomeRun } from './home-answer.ts';
import { escapeHtml, fillIn } from './own-pages.ts';

export type HomeFrame = {
  readonly version: string;
  /** How a person runs the command line here. */
  readonly command: string;
  /** The address at which clients reach the engine. */
  readonly serverUrl: string;
  /** A made-up history for the example command. */
  readonly history: string;
};

/** `template`: the text of `static/home.html`. */
export function drawHome(template: string, frame: HomeFrame, { at, summary, parts, runs }: HomeAnswer): string {
  return fillIn(template, {
    version: escapeHtml(frame.version),
    command: escapeHtml(frame.command),
    serverUrl: escapeHtml(frame.serverUrl),
    history: escapeHtml(frame.history),
    at: `${at.slice(0, 19).replace('T', ' ')} UTC`,
    summary: escapeHtml(summary),
    parts: parts.map(partItem).join(''),
    runs: (runs ?? []).map(runItem).join(''),
    state: runs === null ? 'away' : runs.length === 0 ? 'none' : 'some',
  });
}

function partItem({ title, status, detail, help }: HomeAnswer['parts'][number]): string {
  const link = help === '' ? '' : ` <a href="${escapeHtml(help)}">What to do</a>`;
  const paragraph = detail === '' ? '' : `<p>${escapeHtml(detail)}${link}</p>`;
  return `<li class="part"><h3>${escapeHtml(title)}</h3><span class="state ${status}">${status}</span>${paragraph}</li>`;
}

function runItem({ id, site, status, source, startedAt, ago, step, steps }: HomeRun): string {
  const marks = steps.map(stepItem).join('');
  return [
    `<li class="run"><p class="site">${escapeHtml(site)} <code>${escapeHtml(id)}</code></p>`,
    `<p class="how"><span class="state ${status}">${status}</span><span>${step}</span></p>`,
    `<ol class="steps" aria-label="Steps">${marks}</ol>`,
    `<p class="when"><time datetime="${startedAt}">${escapeHtml(ago)}</time><span>${escapeHtml(source)}</span></p></li>`,
  ].join('');
}

function stepItem({ status, title }: HomeRun['steps'][number]): string {
  return `<li class="${status}" title="${escapeHtml(title)}"><span>${escapeHtml(title)}</span></li>`;
}
