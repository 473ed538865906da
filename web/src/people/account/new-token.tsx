import type { Schemas } from '../../api/client';
import { useMe } from '../../app/session';
import { SecretOnce } from '../../shared/secret-once';
import { text } from '../../text';
import { tokenSnippets } from './token-snippets';

/** A token in the one moment in which it can be seen, with lines that use it. */
export function NewToken({ token, onClose }: { token: Schemas['AccessTokenCreated']; onClose: () => void }) {
  const words = text.people.tokens;
  const me = useMe();
  const snippets = tokenSnippets(token.kind, token.token, window.location.origin, me.email);
  return (
    <SecretOnce
      sentence={words.shownOnce}
      secret={token.token}
      copyLabel={words.copyToken}
      snippets={snippets.map(({ id, lines }) => ({
        id,
        lines,
        label: words.snippets[id] ?? id,
        note: id === 'docker' ? words.registryNote : undefined,
      }))}
      use={words.use}
      copySnippet={words.copySnippet}
      done={words.done}
      onClose={onClose}
    />
  );
}
