import { describe, expect, it } from '@jest/globals';
import { zipReader } from '../../../adapters/yauzl/zip-reader.js';
import { checkFilePath } from '../../../models/datasets/files/file-path.rules.js';
import { type CraftedMember, craftZip } from '../../builders/crafted-zip.js';

async function nameOf(member: Partial<CraftedMember>): Promise<string> {
  const zip = craftZip([{ name: '', bytes: Buffer.from('x'), ...member }]);
  const archive = await zipReader.open({
    sizeBytes: zip.length,
    read: async (start, end) => zip.subarray(start, end),
  });
  for await (const { name } of archive.entries(() => undefined)) return name;
  throw new Error('no member');
}

describe('names of members of a ZIP', () => {
  it.each(['K\u00e4fer/1.png', '\u732b/1.png', 'Ka\u0308fer/1.png', 'plain/1.png'])(
    'are UTF-8 where they are that, as %s, whether said or not',
    async (name) => {
      expect([await nameOf({ name }), await nameOf({ unsaidName: Buffer.from(name) })]).toEqual([name, name]);
    },
  );

  it('are CP437 where nothing says otherwise and they are no UTF-8', async () => {
    expect(await nameOf({ unsaidName: Buffer.from([0x4b, 0x84, 0x66, 0x65, 0x72]) })).toBe('K\u00e4fer');
  });

  it("are those of Info-ZIP's extra field, whatever the others seem to be", async () => {
    const name = Buffer.from('\u00c3\u00a4');
    const crc = Buffer.alloc(4);
    const { crc32 } = await import('node:zlib');
    const plain = Buffer.from('\u00e4');
    crc.writeUInt32LE(crc32(plain));
    const data = Buffer.concat([Buffer.from([1]), crc, name]);
    const head = Buffer.alloc(4);
    head.writeUInt16LE(0x7075, 0);
    head.writeUInt16LE(data.length, 2);
    expect(await nameOf({ unsaidName: plain, extra: Buffer.concat([head, data]) })).toBe(name.toString());
  });

  it('that say they are UTF-8 and are not are refused', async () => {
    const name = await nameOf({ unsaidName: Buffer.from([0x4b, 0xe4, 0x66]), flags: 0x800 });
    expect(checkFilePath(name).problem).toMatch(/bytes that are not UTF-8/);
  });
});
