// Where a person goes after signing in: only to a page of the engine itself, whatever the link said that led to it.

const MOST_CHARACTERS = 500;

/** `path`: as the link has it. Anything that another host could stand behind becomes `/me`. `base`: the path of PUBLIC_URL. */
export function ownPathOf(path: unknown, base: string): string {
  const home = `${base}/me`;
  if (typeof path !== 'string' || path.length > MOST_CHARACTERS) return home;
  // Browsers read a backslash as a slash, and leave out tabs and line ends.
  if (!/^\/(?!\/)[\w\-.~/?=&%:+,@]*$/.test(path) || /%(0|1|2f|5c)/i.test(path)) return home;
  const { origin, pathname, search } = new URL(path, 'https://own.invalid');
  if (origin !== 'https://own.invalid' || pathname.startsWith('//')) return home;
  const isOwn = base === '' || pathname.startsWith(`${base}/`);
  const isSignIn = pathname.startsWith(`${base}/sign-`);
  return isOwn && !isSignIn ? `${pathname}${search}` : home;
}
