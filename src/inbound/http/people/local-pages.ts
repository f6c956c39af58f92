// The pages of local accounts: passkey, password, and the one-time link.
import type { OpenedLink } from '../../../flows/people/use-link.ts';
import type { Passkey } from '../../../ports/local-accounts.ts';
import type { PasskeyQuestion } from '../../../ports/passkey-checks.ts';
import { escapeHtml } from '../pages/own-pages.ts';
import { actionForm } from './own-account-page.ts';

type PasskeyForm = {
  readonly action: string;
  readonly kind: 'new' | 'known';
  readonly question: PasskeyQuestion;
  readonly label: string;
  readonly fields?: Readonly<Record<string, string>>;
};

const NEEDS_SCRIPT = '<noscript><p class="notice">Passkeys need JavaScript. Choose another way.</p></noscript>';

export function drawPasskey(base: string, question: PasskeyQuestion, returnTo: string): string {
  const action = `${base}/sign-in/passkey`;
  const form = passkeyForm({ action, kind: 'known', question, label: 'Use a passkey', fields: { return: returnTo } });
  return `<p>The browser asks for your finger, face or PIN.</p>${form}
    <p><a href="${escapeHtml(base)}/sign-in">Another way</a></p>`;
}

export function drawPassword(base: string, returnTo: string): string {
  return `<form method="post" action="${escapeHtml(base)}/sign-in/password">
      <input type="hidden" name="return" value="${escapeHtml(returnTo)}" />
      <label>Account (its number, as your first page showed it)
        <input name="account" autocomplete="username" autocapitalize="none" spellcheck="false" required /></label>
      <label>Password
        <input name="password" type="password" autocomplete="current-password" required /></label>
      <label>Code of the authenticator app
        <input name="code" inputmode="numeric" autocomplete="one-time-code" required /></label>
      <button type="submit">Sign in</button>
    </form>
    <p><a href="${escapeHtml(base)}/sign-in">Another way</a></p>`;
}

/** `action`: the path of the link itself. */
export function drawLink(action: string, { person, passkey, codes }: OpenedLink, hasPasskeys: boolean): string {
  const form = passkeyForm({
    action,
    kind: 'new',
    question: passkey,
    label: 'Make a passkey',
    fields: { way: 'passkey' },
  });
  const first = hasPasskeys
    ? `<h2>With a passkey (recommended)</h2>
      <p>Your device keeps it, and asks for your finger, face or PIN.</p>${form}`
    : '';
  return `<p>Welcome, <strong>${escapeHtml(person.name)}</strong>. Choose how you sign in from now on. The link works once.</p>
    ${first}
    <h2>With a password and an authenticator app</h2>
    <p>Add this secret to your authenticator app (time-based, 6 digits):
      <code id="secret">${escapeHtml(codes.secretText)}</code>
      <a href="${escapeHtml(codes.address)}">open in the app</a></p>
    <form method="post" action="${escapeHtml(action)}">
      <input type="hidden" name="way" value="password" />
      <input type="hidden" name="state" value="${escapeHtml(codes.state)}" />
      <label>Account number (keep it: you sign in with it)
        <input name="account" autocomplete="username" value="${escapeHtml(person.id)}" readonly /></label>
      <label>New password, at least 12 characters
        <input name="password" type="password" autocomplete="new-password" minlength="12" required /></label>
      <label>Code that the app shows now
        <input name="code" inputmode="numeric" autocomplete="one-time-code" required /></label>
      <button type="submit">Set the password</button>
    </form>`;
}

type FormOf = { readonly base: string; readonly formToken: string };

export function drawNewPasskey({ base, formToken }: FormOf, question: PasskeyQuestion): string {
  const action = `${base}/me/passkeys`;
  const form = passkeyForm({ action, kind: 'new', question, label: 'Make a passkey', fields: { form: formToken } });
  return `<p>Your device keeps it, and asks for your finger, face or PIN.</p>${form}
    <p><a href="${escapeHtml(base)}/me">Back to your account</a></p>`;
}

/** `mayAdd`: shows the way to another one. */
export function drawPasskeys(passkeys: readonly Passkey[], form: FormOf, mayAdd: boolean): string {
  if (passkeys.length === 0 && !mayAdd) return '';
  const items = passkeys.map(({ id, label, createdAt }) => {
    const remove = actionForm(form, '/me/passkeys/remove', 'Remove', { passkey: id }, 'quiet');
    return `<li><p>${escapeHtml(label)}, made ${createdAt.toISOString().slice(0, 10)}</p>${remove}</li>`;
  });
  const list = items.length === 0 ? '<p>You have none.</p>' : `<ul class="card">${items.join('')}</ul>`;
  const add = mayAdd ? `<p><a href="${escapeHtml(form.base)}/me/passkeys/new">Add a passkey</a></p>` : '';
  return `<h2>Passkeys</h2>${list}${add}`;
}

function passkeyForm({ action, kind, question, label, fields = {} }: PasskeyForm): string {
  const all = { ...fields, challenge: question.challenge, answer: '' };
  const inputs = Object.entries(all).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}" />`,
  );
  return `${NEEDS_SCRIPT}<form method="post" action="${escapeHtml(action)}" data-passkey="${kind}"
      data-options="${escapeHtml(question.options)}">${inputs.join('')}
      <p class="notice wrong" role="alert" hidden></p><button type="submit">${escapeHtml(label)}</button></form>`;
}
