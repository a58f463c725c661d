// Pictures that are pasted or dropped, within what the sidecar takes: so a person hears at
// once what could not be sent.
import { t } from './strings';

export interface Picture { data: string; mimeType: string; bytes: number }

export const most = 20;
export const mostBytes = 5 * 1024 * 1024;
const kinds = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

export class Unfit extends Error {}

/** What the bytes say, whatever they are called. */
export function kindOf(bytes: Uint8Array): string | undefined {
  const starts = (...b: number[]) => b.every((x, i) => bytes[i] === x);
  if (starts(0x89, 0x50, 0x4e, 0x47)) return kinds[0];
  if (starts(0xff, 0xd8, 0xff)) return kinds[1];
  if (starts(0x47, 0x49, 0x46, 0x38)) return kinds[2];
  if (starts(0x52, 0x49, 0x46, 0x46) && [0x57, 0x45, 0x42, 0x50].every((x, i) => bytes[8 + i] === x)) return kinds[3];
  return undefined;
}

export async function pictureOf(file: Blob): Promise<Picture> {
  if (file.size > mostBytes) throw new Unfit(t('imageTooLarge', mostBytes / 1024 / 1024));
  const bytes = new Uint8Array(await file.arrayBuffer());
  const mimeType = kindOf(bytes);
  if (!mimeType) throw new Unfit(t('notAnImage'));
  let binary = '';
  for (let i = 0; i < bytes.length; i += 0x8000) binary += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return { data: btoa(binary), mimeType, bytes: bytes.length };
}

export const imagesOf = (from: DataTransfer | null): File[] => [...(from?.files ?? [])].filter((f) => f.type.startsWith('image/'));

/** Only data, and only of these kinds: nothing is loaded from anywhere. */
export const dataUrl = (data: string, mimeType: string | undefined): string | undefined =>
  (mimeType && kinds.includes(mimeType) && /^[A-Za-z0-9+/=]+$/.test(data) ? `data:${mimeType};base64,${data}` : undefined);
