// Whether an address is on the machine on which the engine runs.

export function isOnThisMachine(address: string): boolean {
  const { hostname = '' } = URL.parse(address) ?? {};
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
