// The page of the own account: who one is here, why patient data is read, and the own sessions.
import { PURPOSE_NAMES, PURPOSES } from '../../../domain/people/purpose.ts';
import { EVERY_SITE, type Grant } from '../../../domain/people/role.ts';
import type { Visitor } from '../../../flows/people/visit-page.ts';
import type { PersonSession } from '../../../ports/person-sessions.ts';
import { escapeHtml } from '../pages/own-pages.ts';

export type OwnAccountPage = {
  readonly base: string;
  readonly visitor: Visitor;
  readonly sessions: readonly PersonSession[];
  /** HTML of further sections. */
  readonly further?: string;
};

const WAYS = {
  oidc: 'identity provider',
  launch: 'EHR',
  passkey: 'passkey',
  password: 'password',
  link: 'one-time link',
  device: 'command line',
} as const satisfies Record<PersonSession['way'], string>;

export function drawOwnAccount({ base, visitor, sessions, further = '' }: OwnAccountPage): string {
  const { person, session, formToken } = visitor;
  const form = { base, formToken };
  const roles = person.grants.map((grant) => `<li>${escapeHtml(grantWords(grant))}</li>`).join('');
  const items = sessions.map((one) => sessionItem(one, form, one.id === session.id)).join('');
  return `<p>You are signed in as <strong>${escapeHtml(person.name)}</strong>.</p>
    <h2>Roles</h2>
    ${roles === '' ? '<p>You have no role: an admin gives it.</p>' : `<ul class="card">${roles}</ul>`}
    <h2>Purpose</h2>
    ${purposeForm(visitor, form)}
    ${further}
    <h2>Sessions</h2>
    <ul class="card">${items}</ul>
    <h2>Sign out</h2>
    ${actionForm(form, '/sign-out', 'Sign out here', {})}
    <p></p>
    ${actionForm(form, '/sign-out?everywhere=true', 'Sign out everywhere', {}, 'quiet')}`;
}

type FormOf = { readonly base: string; readonly formToken: string };

/** A form of one button. */
export function actionForm(
  { base, formToken }: FormOf,
  path: string,
  label: string,
  fields: Readonly<Record<string, string>>,
  kind = '',
): string {
  const inputs = Object.entries({ ...fields, form: formToken }).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}" />`,
  );
  const button = `<button type="submit"${kind === '' ? '' : ` class="${kind}"`}>${escapeHtml(label)}</button>`;
  return `<form method="post" action="${escapeHtml(base + path)}">${inputs.join('')}${button}</form>`;
}

function purposeForm({ session: { purpose } }: Visitor, { base, formToken }: FormOf): string {
  const none = purpose === undefined ? '<option value="" selected>none: no patient data</option>' : '';
  const options = PURPOSES.map((one) => {
    const selected = one === purpose ? ' selected' : '';
    return `<option value="${one}"${selected}>${PURPOSE_NAMES[one]}</option>`;
  });
  return `<form class="row" method="post" action="${escapeHtml(base)}/me/purpose">
      <input type="hidden" name="form" value="${escapeHtml(formToken)}" />
      <label>Why you read patient data in this session
        <select name="purpose">${none}${options.join('')}</select>
      </label>
      <button type="submit">Set</button>
    </form>`;
}

function sessionItem(session: PersonSession, form: FormOf, isThis: boolean): string {
  const { id, way, address, agent, createdAt, lastUsedAt } = session;
  const where = `${isThis ? 'This one: ' : ''}${WAYS[way]}, ${address}`;
  const end = isThis ? '' : actionForm(form, '/me/sessions/end', 'End', { session: id }, 'quiet');
  return `<li><div><p>${escapeHtml(where)}</p>
      <p class="faint">since ${timeWords(createdAt)}, last used ${timeWords(lastUsedAt)}</p>
      <p class="faint">${escapeHtml(agent ?? '')}</p></div>${end}</li>`;
}

function grantWords({ role, site, practitioner }: Grant): string {
  const where = site === EVERY_SITE ? 'every site' : site;
  return `${role} of ${where}${practitioner === undefined ? '' : `, signing as ${practitioner}`}`;
}

function timeWords(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
