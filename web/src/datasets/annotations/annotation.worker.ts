import { CocoIndex } from './coco-index';
import type { IndexAnswer, IndexQuestion } from './annotation-messages';

const scope = self as unknown as {
  postMessage(answer: IndexAnswer): void;
  onmessage: ((event: MessageEvent<IndexQuestion>) => void) | null;
};
const index = new CocoIndex();

scope.onmessage = ({ data }) => {
  void answerTo(data).then(
    (value) => scope.postMessage({ id: data.id, value, error: null }),
    (error: unknown) => scope.postMessage({ id: data.id, value: null, error: String(error) }),
  );
};

async function answerTo(question: IndexQuestion): Promise<IndexAnswer['value']> {
  if (question.kind === 'find') return question.paths.map((path) => index.find(path));
  for (const { path, url } of question.files) {
    const answer = await fetch(url, { credentials: 'same-origin' });
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
    index.add(path, await answer.json());
  }
  return null;
}
