// The placement in three dimensions, drawn by three.js. Loaded only when it is shown.
import { AmbientLight, BoxGeometry, BufferGeometry, Color, DirectionalLight, Float32BufferAttribute, InstancedMesh, LineBasicMaterial, LineSegments, Matrix4, MeshLambertMaterial, PerspectiveCamera, Raycaster, Scene, Spherical, Vector2, Vector3, WebGLRenderer } from 'three';
import type { Cube } from './placement';

/** Where the camera looks from: turns, rad, and how many times nearer than where all is seen. */
export interface Orbit { turn: number; tilt: number; zoom: number }

export class PlacementScene {
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly camera = new PerspectiveCamera(35, 1, 0.1, 10_000);
  private readonly lamp = new DirectionalLight(0xffffff, 2.2);
  private meshes: { mesh: InstancedMesh; cubes: Cube[] }[] = [];
  private axes: LineSegments | null = null;
  private middle = new Vector3();
  /** Half of the whole, along each axis. */
  private half = new Vector3();

  constructor(canvas: HTMLCanvasElement) {
    // The buffer is kept for the export as a picture.
    this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.scene.add(new AmbientLight(0xffffff, 1.6), this.lamp);
  }

  /** Puts the cubes into the scene; faint ones are seen through. */
  show(cubes: readonly Cube[], colour: (cube: Cube) => string, line: string): void {
    this.clear();
    const geometry = new BoxGeometry(1, 1, 1);
    for (const seenThrough of [false, true]) {
      const some = cubes.filter(({ weight }) => (weight === 'faint') === seenThrough);
      const mesh = new InstancedMesh(geometry, new MeshLambertMaterial(seenThrough ? { transparent: true, opacity: 0.25, depthWrite: false } : {}), some.length);
      some.forEach((cube, at) => {
        mesh.setMatrixAt(at, new Matrix4().makeScale(cube.width, cube.size, cube.size).setPosition(cube.x, -cube.y, cube.z));
        mesh.setColorAt(at, new Color(colour(cube)));
      });
      this.meshes.push({ mesh, cubes: some });
      this.scene.add(mesh);
    }
    const end = cubes.reduce((most, { x, y, z }) => new Vector3(Math.max(most.x, x), Math.max(most.y, y), Math.max(most.z, z)), new Vector3());
    this.middle = new Vector3(end.x / 2, -end.y / 2, end.z / 2);
    this.half = new Vector3(end.x / 2 + 1, end.y / 2 + 1, end.z / 2 + 1);
    const corner = [-0.8, 0.8, -0.8] as const;
    const points = [[end.x + 0.8, corner[1], corner[2]], [corner[0], -end.y - 0.8, corner[2]], [corner[0], corner[1], end.z + 0.8]];
    const lines = new BufferGeometry().setAttribute('position', new Float32BufferAttribute(points.flatMap((point) => [...corner, ...point]), 3));
    this.axes = new LineSegments(lines, new LineBasicMaterial({ color: line }));
    this.scene.add(this.axes);
  }

  /** Draws; returns where the ends of the three axes are, px. */
  draw(orbit: Orbit, width: number, height: number, dots: number): [number, number][] {
    this.renderer.setPixelRatio(dots);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    const towards = new Vector3().setFromSpherical(new Spherical(1, orbit.tilt, orbit.turn));
    this.camera.position.copy(this.middle).addScaledVector(towards, this.distance(towards) / orbit.zoom);
    this.camera.lookAt(this.middle);
    this.camera.updateProjectionMatrix();
    this.lamp.position.copy(this.camera.position).add(new Vector3(this.half.length() / 2, this.half.length(), 0));
    this.renderer.render(this.scene, this.camera);
    const ends = this.axes?.geometry.getAttribute('position');
    return [1, 3, 5].map((at) => {
      const point = ends ? new Vector3().fromBufferAttribute(ends, at).project(this.camera) : new Vector3();
      return [((point.x + 1) / 2) * width, ((1 - point.y) / 2) * height];
    });
  }

  /** Returns how far the camera is when all corners just fit. */
  private distance(towards: Vector3): number {
    const right = new Vector3(0, 1, 0).cross(towards).normalize();
    const up = towards.clone().cross(right);
    const slope = Math.tan((this.camera.fov * Math.PI) / 360);
    let far = 1;
    for (let corner = 0; corner < 8; corner += 1) {
      const at = new Vector3(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1).multiply(this.half);
      far = Math.max(far, at.dot(towards) + Math.max(Math.abs(at.dot(right)) / this.camera.aspect, Math.abs(at.dot(up))) / slope);
    }
    return far * 1.06;
  }

  /** Returns the cube under a point; x and y are parts of width and height. */
  at(x: number, y: number): Cube | null {
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2(2 * x - 1, 1 - 2 * y), this.camera);
    const hits = this.meshes.flatMap(({ mesh, cubes }) => ray.intersectObject(mesh).map((hit) => ({ distance: hit.distance, cube: cubes[hit.instanceId ?? -1] })));
    return hits.sort((a, b) => a.distance - b.distance)[0]?.cube ?? null;
  }

  private clear(): void {
    for (const { mesh } of this.meshes) { this.scene.remove(mesh); mesh.geometry.dispose(); (mesh.material as MeshLambertMaterial).dispose(); mesh.dispose(); }
    if (this.axes) { this.scene.remove(this.axes); this.axes.geometry.dispose(); (this.axes.material as LineBasicMaterial).dispose(); }
    this.meshes = [];
    this.axes = null;
  }
  close(): void {
    this.clear();
    this.renderer.dispose();
  }
}
