const KEY = /^[A-Za-z0-9._/-]{1,512}$/;

/**
 * Keys are made by the server; this refuses what a store, a proxy or a file-backed gateway could read as another key.
 * @throws TypeError, because a bad key is a programming error and never a person's input
 */
export function checkKey(key: string): string {
  if (
    !KEY.test(key) ||
    key.startsWith('/') ||
    key.includes('//') ||
    key.split('/').some((part) => part === '.' || part === '..')
  )
    throw new TypeError(`not an object key: ${JSON.stringify(key.slice(0, 80))}`);
  return key;
}
