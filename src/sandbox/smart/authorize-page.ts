// The page on which a person of the hospital says who they are, and for a launch from outside of a chart, which visit it is about. Nothing is
// asked for to prove it: everyone here is made up.
import { createHash } from 'node:crypto';
import type { Answer } from '../fhir/http-exchange.ts';

export type Choice = { readonly id: string; readonly label: string };

type PageParts = {
  /** Names the request that the choice is for. */
  readonly request: string;
  readonly clientId: string;
  /** Where the browser is sent after the choice. */
  readonly redirectUri: string;
  readonly action: string;
  readonly practitioners: readonly Choice[];
  /** Empty: the visit is known. */
  readonly visits: readonly Choice[];
};

const STYLE = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { margin: 2rem auto; padding: 0 1rem; max-width: 32rem; }
label { display: block; margin: 1rem 0 0.25rem; font-weight: 600; }
select, button { font: inherit; padding: 0.5rem; width: 100%; box-sizing: border-box; min-height: 2.75rem; }
button { margin-top: 1rem; }
:focus-visible { outline: 3px solid Highlight; outline-offset: 2px; }
`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

export function choicePage({ request, clientId, redirectUri, action, practitioners, visits }: PageParts): Answer {
  const body = `<h1>Sandbox Hospital</h1>
<p>The app <strong>${escaped(clientId)}</strong> asks who you are. The people of this hospital are made up: choose one.</p>
<form method="post" action="${escaped(action)}">
<input type="hidden" name="request" value="${escaped(request)}">
${select('practitioner', 'You are', practitioners)}
${visits.length > 0 ? select('encounter', 'The visit', visits) : ''}
<button name="decision" value="allow">Sign in</button>
<button name="decision" value="deny">Cancel</button>
</form>`;
  // A browser holds the redirect that follows a form to the same rule as the form.
  return page(200, body, `'self' ${new URL(redirectUri).origin}`);
}

/** Shown if the browser cannot be sent back to the app. */
export function refusalPage(text: string): Answer {
  return page(
    400,
    `<h1>Sandbox Hospital</h1>\n<p>This sign-in cannot go on: ${escaped(text)}. Start it again from the app.</p>`,
    "'none'",
  );
}

function page(status: number, body: string, formAction: string): Answer {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    "base-uri 'none'",
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
  ];
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign in · Sandbox Hospital</title>
<style>${STYLE}</style>
</head>
<body>
${body}
</body>
</html>
`;
  return { status, headers, body: textStream(html) };
}

async function* textStream(text: string) {
  yield text;
}

function select(name: string, label: string, choices: readonly Choice[]): string {
  const options = choices.map(({ id, label: text }) => `<option value="${escaped(id)}">${escaped(text)}</option>`);
  return `<label for="${name}">${label}</label>\n<select id="${name}" name="${name}">\n${options.join('\n')}\n</select>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
