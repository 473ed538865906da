/** What the password process is asked. */
export type PasswordOrder = { readonly kind: 'hash'; readonly password: string } | { readonly kind: 'verify'; readonly password: string; readonly stored: string };

/** `failed` is the library's own word, which repeats neither password nor hash. */
export type PasswordReply = { readonly hash: string } | { readonly isSame: boolean } | { readonly failed: string };
