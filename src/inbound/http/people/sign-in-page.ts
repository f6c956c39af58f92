// The page that offers the ways to sign in, and the words of what went wrong.
import { type AppError, asAppError } from '../../../domain/errors.ts';
import { escapeHtml } from '../pages/own-pages.ts';
import { errorMessage } from '../server/error-response.ts';

export type SignInWays = { readonly hasProvider: boolean; readonly hasPasskeys: boolean };

export type SignInPage = SignInWays & {
  readonly base: string;
  readonly returnTo: string;
  readonly notice?: string | undefined;
  /** How a person runs the command line here. */
  readonly command: string;
};

export function drawSignIn({ base, returnTo, hasProvider, hasPasskeys, notice, command }: SignInPage): string {
  const to = (path: string) => escapeHtml(`${base}${path}?return=${encodeURIComponent(returnTo)}`);
  const provider = hasProvider
    ? `<p><a class="button" href="${to('/sign-in/provider')}">Sign in with your organization</a></p>`
    : '';
  const passkey = hasPasskeys
    ? `<p><a class="button" href="${to('/sign-in/passkey')}">Sign in with a passkey</a></p>`
    : '';
  const password = `<p><a href="${to('/sign-in/password')}">Sign in with a password</a></p>`;
  return `${notice === undefined ? '' : `<p class="notice" role="status">${escapeHtml(notice)}</p>`}
    ${provider}${passkey}${password}
    <p class="faint">No account yet? An admin of this engine makes one:
      <code>${escapeHtml(command)} people create</code>.${
        hasProvider ? ' With an account of your organization it may be made when you first sign in.' : ''
      }</p>`;
}

export function drawFailure(thrown: unknown, base: string): { readonly title: string; readonly body: string } {
  const error = asAppError(thrown);
  const words = [errorMessage(error)].flat().join('. ');
  const again = `<p><a class="button" href="${escapeHtml(base)}/sign-in">Back to the sign-in</a></p>`;
  return {
    title: titleOf(error),
    body: `<p class="notice wrong" role="alert">${escapeHtml(words)}.</p>${again}`,
  };
}

function titleOf({ code }: AppError): string {
  if (code === 'vendorUnavailable' || code === 'notConfigured') return 'The identity provider cannot be used now';
  if (code === 'forbidden' || code === 'conflict') return 'You cannot come in';
  return code === 'internal' || code === 'overloaded' ? 'Something is wrong here' : 'You are not signed in';
}
