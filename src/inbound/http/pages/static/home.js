// Keeps the first page up to date: polls the engine every two seconds while the page is visible, and renders what changed. It renders
// the same HTML as the engine (home-page.ts).
const INTERVAL_MS = 2_000;
const TIMEOUT_MS = 10_000;

const drawn = { parts: '', runs: '' };
let timer;

document.addEventListener('visibilitychange', refresh);
refresh();

async function refresh() {
  clearTimeout(timer);
  if (document.hidden) return;
  const isAnswered = await ask().then(draw, () => false);
  say(isAnswered ? 'Live' : 'The engine does not answer', !isAnswered);
  clearTimeout(timer);
  timer = setTimeout(refresh, INTERVAL_MS);
}

async function ask() {
  const answer = await fetch('home.json', { cache: 'no-store', signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return answer.json();
}

function draw({ summary, parts, runs }) {
  setText(at('summary'), summary);
  drawList('parts', parts, partItem);
  // A new age alone does not render a run again, which would disturb a pointer over it.
  drawList(
    'runs',
    (runs ?? []).map(({ ago, ...rest }) => rest),
    runItem,
  );
  for (const [index, time] of at('runs').querySelectorAll('time').entries()) setText(time, runs[index].ago);
  at('last').dataset.runs = runs === null ? 'away' : runs.length === 0 ? 'none' : 'some';
  return true;
}

function drawList(name, values, item) {
  const text = JSON.stringify(values);
  if (drawn[name] === text) return;
  drawn[name] = text;
  at(name).replaceChildren(...values.map(item));
}

function partItem({ title, status, detail, help }) {
  const link = help === '' ? [] : [' ', element('a', { href: help }, 'What to do')];
  const paragraph = detail === '' ? [] : [element('p', {}, detail, ...link)];
  return element('li', { class: 'part' }, element('h3', {}, title), state(status), ...paragraph);
}

function runItem({ id, site, status, source, startedAt, step, steps }) {
  return element(
    'li',
    { class: 'run' },
    element('p', { class: 'site' }, `${site} `, element('code', {}, id)),
    element('p', { class: 'how' }, state(status), element('span', {}, step)),
    element('ol', { class: 'steps', 'aria-label': 'Steps' }, ...steps.map(stepItem)),
    element('p', { class: 'when' }, element('time', { datetime: startedAt }), element('span', {}, source)),
  );
}

function stepItem({ status, title }) {
  return element('li', { class: status, title }, element('span', {}, title));
}

function state(status) {
  return element('span', { class: `state ${status}` }, status);
}

/** Adds strings as text nodes, so that no value is parsed as HTML. */
function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function say(text, isLost) {
  setText(at('live'), text);
  document.body.className = isLost ? 'lost' : 'live';
}

function setText(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

function at(id) {
  return document.getElementById(id);
}
