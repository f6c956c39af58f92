// A browser without a window: it keeps cookies, follows redirects, and says where a request comes from, as Fetch Metadata has it.
export type Page = {
  readonly status: number;
  readonly url: URL;
  readonly text: string;
  readonly headers: Headers;
};

type Visit = {
  readonly method?: string;
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
};

/** `isFrame`: it loads pages into a frame of the EHR. */
export function makeBrowser({ isFrame = false }: { readonly isFrame?: boolean } = {}) {
  const jar = new Map<string, string>();
  const setCookies: string[] = [];

  async function visit(address: string | URL, { method = 'GET', form, headers = {} }: Visit = {}): Promise<Page> {
    const url = new URL(address);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, {
      method,
      redirect: 'manual',
      headers: {
        'sec-fetch-dest': isFrame ? 'iframe' : 'document',
        'sec-fetch-site': method === 'POST' ? 'same-origin' : 'cross-site',
        ...(cookie !== '' && { cookie }),
        ...headers,
      },
      ...(form && { body: new URLSearchParams(form) }),
    });
    for (const line of answer.headers.getSetCookie()) keep(line);
    const location = answer.headers.get('location');
    if (location !== null) return visit(new URL(location, url));
    return { status: answer.status, url, text: await answer.text(), headers: answer.headers };
  }

  function keep(line: string): void {
    setCookies.push(line);
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (/Max-Age=0/.test(line)) jar.delete(name);
    else jar.set(name, value);
  }

  return { visit, jar, setCookies };
}

export type Browser = ReturnType<typeof makeBrowser>;

/** The hidden fields of the form for this decision, as a browser would send them. */
export function fieldsOf(page: Page, decision: string): Readonly<Record<string, string>> {
  const form = page.text.split('<form ').find((part) => part.includes(`value="${decision}"`)) ?? '';
  const hidden = [...form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
  return Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value]));
}
