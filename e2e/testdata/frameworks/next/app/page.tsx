import { Pay } from './pay';

// The session is known on the server, so the frame is in the HTML.
export default async function Page({ searchParams }: { searchParams: Promise<{ session?: string }> }) {
  return <main><h1>Shop</h1><Pay session={(await searchParams).session ?? ''} /></main>;
}
